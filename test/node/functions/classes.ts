import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";
import {
  describe as describeShape,
  Node as ShapeNode,
  ParseError as ShapeParseError,
} from "./shared/shapes.ts";

class InvalidRow extends Error {
  readonly field: string;

  constructor(field: string, options?: ErrorOptions) {
    super(`the field ${field} is invalid`, options);
    this.name = this.constructor.name;
    this.field = field;
  }
}

class MissingField extends InvalidRow {
  override get message(): string {
    return `the field ${this.field} is missing`;
  }
}

abstract class Shape {
  abstract area(): number;

  static of(given: { readonly kind: string; readonly sizes: readonly number[] }): Shape {
    const [a, b] = given.sizes;
    if (a === undefined) throw new MissingField("sizes");
    switch (given.kind) {
      case "circle":
        return new Circle(a);
      case "rectangle":
        return new Rectangle(a, b ?? a);
      default:
        throw new InvalidRow("kind", { cause: given });
    }
  }

  toString(): string {
    return `${this.constructor.name} of ${this.area().toFixed(2)}`;
  }
}

class Circle extends Shape {
  readonly #radius: number;
  constructor(radius: number) {
    super();
    if (radius < 0) throw new RangeError(`radius ${radius}`);
    this.#radius = radius;
  }
  override area(): number {
    return Math.PI * this.#radius ** 2;
  }
}

class Rectangle extends Shape {
  readonly width: number;
  readonly height: number;
  constructor(width: number, height: number) {
    super();
    this.width = width;
    this.height = height;
  }
  override area(): number {
    return this.width * this.height;
  }
  override toString(): string {
    return `${super.toString()} (${this.width}×${this.height})`;
  }
}

const shapeText = (row: { kind: string; sizes: number[] }): string => `${Shape.of(row)}`;

class Account {
  static #limits: ReadonlyMap<string, number> = new Map();
  static {
    const limits = new Map<string, number>();
    for (const [at, currency] of ["EUR", "USD", "JPY"].entries()) limits.set(currency, 100 * 10 ** at);
    this.#limits = limits;
  }

  #balance = 0;
  readonly currency: string;

  constructor(currency: string) {
    if (!Account.#limits.has(currency)) throw new TypeError(`no such currency: ${currency}`);
    this.currency = currency;
  }

  set balance(value: number) {
    const limit = Account.#limits.get(this.currency) ?? 0;
    if (value < -limit) throw new Overdrawn(this, value);
    this.#balance = value;
  }
  get balance(): number {
    return this.#balance;
  }
  static isAccount(value: object): boolean {
    return #balance in value;
  }
}

class Overdrawn extends Error {
  constructor(account: Account, value: number) {
    super(`${account.currency} ${account.balance} → ${value}`);
  }
  override get name(): string {
    return "Overdrawn";
  }
}

const book = ({ currency, amounts }: { currency: string; amounts: number[] }): unknown => {
  const account = new Account(currency);
  for (const amount of amounts) account.balance += amount;
  return { balance: account.balance, is: [Account.isAccount(account), Account.isAccount({ balance: 1 })] };
};

class Node {
  readonly key: number;
  left?: Node;
  right?: Node;
  constructor(key: number) {
    this.key = key;
  }
  *[Symbol.iterator](): Generator<number> {
    if (this.left) yield* this.left;
    yield this.key;
    if (this.right) yield* this.right;
  }
  get depth(): number {
    return 1 + Math.max(this.left?.depth ?? 0, this.right?.depth ?? 0);
  }
}

/** A binary search tree. */
const treeSort = (keys: number[]): unknown => {
  const insert = (node: Node | undefined, key: number): Node => {
    if (node === undefined) return new Node(key);
    if (key < node.key) node.left = insert(node.left, key);
    else node.right = insert(node.right, key);
    return node;
  };
  const root = keys.reduce<Node | undefined>((tree, key) => insert(tree, key), undefined);
  return { sorted: [...(root ?? [])], depth: root?.depth ?? 0, made: root?.constructor.name ?? null };
};

class LruCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #size: number;
  hits = 0;
  constructor(size: number) {
    this.#size = size;
  }
  get(key: K, make: (key: K) => V): V {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.hits++;
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const made = make(key);
    this.#entries.set(key, made);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
    return made;
  }
  get keys(): readonly K[] {
    return [...this.#entries.keys()];
  }
}

const cached = ({ size, keys }: { size: number; keys: string[] }): unknown => {
  const cache = new LruCache<string, number>(size);
  const lengths = keys.map((key) => cache.get(key, ({ length }) => length));
  return { lengths, hits: cache.hits, keys: cache.keys };
};

class Vector extends Array<number> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  get [Symbol.toStringTag](): string {
    return "Vector";
  }
  dot(other: Vector): number {
    if (other.length !== this.length) throw new RangeError(`${this.length} and ${other.length} elements`);
    return this.reduce((sum, x, at) => sum + x * (other[at] ?? 0), 0);
  }
}

const vectors = ([a, b]: [number[], number[]]): unknown => {
  const [left, right] = [Vector.from(a) as Vector, Vector.from(b) as Vector];
  return {
    dot: left.dot(right),
    tag: Object.prototype.toString.call(left),
    mapped: left.map((x) => x * 2) instanceof Vector,
  };
};

class Money {
  readonly #cents: bigint;
  constructor(text: string) {
    const match = /^(-?\d+)(?:\.(\d{2}))?$/.exec(text);
    if (match === null) throw new SyntaxError(`${text} is not an amount`);
    this.#cents = BigInt(`${match[1]}${match[2] ?? "00"}`);
  }
  [Symbol.toPrimitive](hint: "number" | "string" | "default"): number | string {
    return hint === "number" ? Number(this.#cents) / 100 : `${this.#cents}¢`;
  }
  toJSON(): unknown {
    return { cents: String(this.#cents) };
  }
}

const money = (text: string): unknown => {
  const amount = new Money(text);
  return [
    amount,
    +(amount as unknown as number),
    `${amount as unknown as string}`,
    (amount as unknown as string) + "!",
  ];
};

type Constructor<T> = abstract new (...given: never[]) => T;

// oxlint-disable-next-line typescript/no-explicit-any
const Timestamped = <T extends new (...given: any[]) => { readonly id: string }>(Base: T) =>
  class Timestamped extends Base {
    readonly at = 1_700_000_000;
    describe(): string {
      return `${Timestamped.name}/${Base.name} ${this.id} ${this.at}`;
    }
  };

class Entity {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

const mixin = (id: string): unknown => {
  const Mixed = Timestamped(Entity);
  const one = new Mixed(id);
  const chain: string[] = [];
  for (let at: unknown = Mixed; typeof at === "function" && at.name !== ""; at = Object.getPrototypeOf(at))
    chain.push(at.name);
  return { text: one.describe(), chain, isEntity: one instanceof (Entity as Constructor<Entity>) };
};

/** Two modules have a class and a function of the same name. */
const sameNames = (value: unknown): unknown => {
  const own = class Node {};
  const shape = new ShapeNode(value);
  return {
    names: [Node.name, ShapeNode.name, own.name],
    kind: shape.kind,
    label: shape.label,
    is: ShapeNode.isNode(shape),
    described: describeShape(value),
  };
};

class ParseError extends SyntaxError {
  override name = ParseError.name;
}

const strict = (text: string): unknown => {
  if (text.includes("(")) throw new ShapeParseError("a bracket", text.indexOf("("));
  if (text.includes("<")) throw new ParseError(`a tag at ${text.indexOf("<")}`);
  return text.length;
};

class Machine {
  static readonly #transitions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    idle: { start: "running" },
    running: { pause: "paused", stop: "idle" },
    paused: { start: "running", stop: "idle" },
  };
  #state = "idle";
  readonly history: string[] = [];
  send(event: string): this {
    const next = Machine.#transitions[this.#state]?.[event];
    if (next === undefined) throw new Error(`cannot ${event} while ${this.#state}`, { cause: this.history });
    this.history.push(`${this.#state} → ${next}`);
    this.#state = next;
    return this;
  }
}

const machine = (events: string[]): unknown =>
  events.reduce((all, event) => all.send(event), new Machine()).history;

/** Catches its own errors, inspects them and throws another one. */
const rethrow = (row: { kind: string; sizes: number[] }): unknown => {
  try {
    return Shape.of(row).area();
  } catch (error) {
    if (error instanceof MissingField) return `missing ${error.field}`;
    if (error instanceof InvalidRow)
      throw new AggregateError([error], `${error.name}: ${JSON.stringify(error.cause)}`);
    throw error;
  } finally {
    Rectangle.prototype.toString.call(new Rectangle(1, 2));
  }
};

class Unusual {
  readonly code = 7;
}

/** Throws a value that is not an Error. */
const throwsValues = (kind: string): unknown => {
  // oxlint-disable-next-line typescript/only-throw-error -- people do
  if (kind === "text") throw "only text";
  // oxlint-disable-next-line typescript/only-throw-error
  if (kind === "object") throw new Unusual();
  // oxlint-disable-next-line typescript/only-throw-error
  if (kind === "null") throw null;
  if (kind === "nameless") throw Object.assign(new Error("none"), { name: "" });
  if (kind === "empty") throw new InvalidRow("") && new Error();
  if (kind === "lines") throw new TypeError("one\ntwo\n    at three (four.ts:1:1)");
  return kind;
};

const shapes = [
  { kind: "circle", sizes: [2] },
  { kind: "rectangle", sizes: [2, 3.5] },
  { kind: "rectangle", sizes: [1e200, 1e200] },
  { kind: "circle", sizes: [-1] },
  { kind: "circle", sizes: [] },
  { kind: "hexagon", sizes: [1] },
  { kind: "__proto__", sizes: [1] },
  { kind: "circle" },
  null,
];

export const cases: readonly Case[] = [
  { name: "shapeText", run: shapeText, rows: shapes },
  {
    name: "book",
    run: book,
    rows: [
      { currency: "EUR", amounts: [50, -120, 3] },
      { currency: "USD", amounts: [0.1, 0.2, -2000] },
      { currency: "JPY", amounts: [] },
      { currency: "constructor", amounts: [] },
      { currency: "EUR", amounts: ["1", 2] },
      { currency: "EUR" },
    ],
  },
  {
    name: "treeSort",
    run: treeSort,
    rows: [
      [],
      [3, 1, 2],
      Array.from({ length: 200 }, (_, at) => (at * 7919) % 211),
      [1, 1, 1],
      ["b", "a"],
      "cab",
      5,
    ],
  },
  {
    name: "cached",
    run: cached,
    rows: [
      { size: 2, keys: ["a", "bb", "a", "ccc", "bb", "a"] },
      { size: 0, keys: ["", "", "__proto__"] },
      { size: 3, keys: [null] },
      { keys: ["a"] },
    ],
  },
  {
    name: "vectors",
    run: vectors,
    rows: [
      [
        [1, 2],
        [3, 4],
      ],
      [[], []],
      [[1], [1, 2]],
      [
        [1e308, 10],
        [10, 1],
      ],
      [[1]],
      null,
    ],
  },
  {
    name: "money",
    run: money,
    rows: ["12.34", "-0.05", "99999999999999999999.99", "1.5", "", "NaN", 7, null],
  },
  { name: "mixin", run: mixin, rows: ["a", "", "__proto__", null] },
  { name: "sameNames", run: sameNames, rows: strangers.slice(0, 9) },
  { name: "strict", run: strict, rows: strings },
  {
    name: "machine",
    run: machine,
    rows: [
      [],
      ["start", "pause", "start", "stop"],
      ["start", "start"],
      ["toString"],
      ["start", "__proto__"],
      "ab",
      null,
    ],
  },
  { name: "rethrow", run: rethrow, rows: shapes },
  {
    name: "throwsValues",
    run: throwsValues,
    rows: ["text", "object", "null", "nameless", "empty", "lines", "nothing"],
  },
];
