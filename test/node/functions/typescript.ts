import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";

enum Color {
  Red,
  Green = 5,
  Blue,
}
enum Level {
  Low = "low",
  High = "high",
}
enum Access {
  None = 0,
  Read = 1 << 0,
  Write = 1 << 1,
  All = Read | Write,
  Size = "four".length,
}
const enum Unit {
  Second = 1,
  Minute = 60 * Second,
}

const enums = (key: string): unknown => ({
  byName: String(Color[key as "Red"]),
  byNumber: String(Color[Number(key)]),
  level: Object.values(Level).includes(key as Level),
  keys: [Object.keys(Color), Object.entries(Level)],
  access: [Access[Access.All], Access[Access.Size], Access.Write | Access.None],
  minute: Unit.Minute,
});

const rights = (names: string[]): string =>
  names
    .map((name) => Access[name as "Read"] ?? assertNever(name as never))
    .reduce((all, one) => all | one, Access.None)
    .toString(2);

function assertNever(value: never): never {
  throw new TypeError(`${String(value)} is not an access`);
}

namespace Geometry {
  export const unit = 2;
  export interface Point {
    readonly x: number;
    readonly y: number;
  }
  const hidden = (value: number): number => Math.round(value * unit) / unit;
  export const point = (x: number, y: number): Point => ({ x: hidden(x), y: hidden(y) });
  export namespace Polar {
    export const from = (angle: number): Point => point(unit * Math.cos(angle), unit * Math.sin(angle));
  }
}
namespace Geometry {
  export const sum = (...points: readonly Point[]): Point =>
    points.reduce((a, b) => point(a.x + b.x, a.y + b.y), point(0, 0));
}
function scaled(value: number): number {
  return value * scaled.factor;
}
namespace scaled {
  export const factor = 3;
}
const namespaces = (angles: number[]): unknown => ({
  sum: Geometry.sum(...angles.map(Geometry.Polar.from)),
  names: Object.keys(Geometry),
  scaled: scaled(angles.length),
  name: scaled.name,
});

abstract class Shape {
  static readonly sides: number = 0;
  readonly label: string;
  protected constructor(
    protected readonly name: string,
    private readonly scale = 1,
  ) {
    this.label = `${name} with ${(this.constructor as typeof Shape).sides} sides`;
  }
  abstract get area(): number;
  describe(this: Shape): string {
    return `${this.label}, ${(this.area * this.scale).toFixed(2)}`;
  }
}
class Circle extends Shape {
  declare readonly color?: string;
  constructor(private r: number) {
    super("circle");
  }
  override get area(): number {
    if (!(this.r >= 0)) throw new RangeError(`a radius of ${this.r}`);
    return Math.PI * this.r ** 2;
  }
}
class Polygon extends Shape {
  static override readonly sides: number = 4;
  constructor(
    public readonly width: number,
    readonly height = width,
  ) {
    super("rectangle", 2);
  }
  override get area(): number {
    return this.width * this.height;
  }
}
const parameters = (sizes: number[]): unknown => {
  const [a] = sizes;
  const shape = sizes.length > 1 ? new Polygon(...(sizes as [number, number])) : new Circle(a as number);
  return { text: shape.describe(), own: Object.keys(shape), colored: "color" in shape };
};

const rates = { eur: 1.08, gbp: 1.27, jpy: 0.0068 } as const satisfies Readonly<Record<string, number>>;
type Currency = keyof typeof rates;

function assertCurrency(value: unknown): asserts value is Currency {
  if (typeof value !== "string" || !Object.hasOwn(rates, value))
    throw new TypeError(`${JSON.stringify(value)} is not a currency`);
}
const converted = ({ amount, currency }: { amount: number; currency: unknown }): string => {
  assertCurrency(currency);
  return (amount * rates[currency]).toFixed(2) satisfies `${number}` | string;
};

function widest(value: string): string;
function widest(value: readonly string[]): readonly string[];
function widest<const T extends string | readonly string[]>(value: T): string | readonly string[] {
  return typeof value === "string" ? value.padEnd(3, ".") : value.map((one) => widest(one));
}
const overloaded = (row: unknown): unknown => widest((<string>row) as never);

interface Shown<T> {
  readonly value: T;
}
const boxed = <T>(value: T): Shown<NonNullable<T>> => ({ value: value! });
const asserted = (row: { list?: { at?(n: number): { name?: string } } } | null): unknown =>
  boxed(row!.list!.at!(0)!.name!.length);

class Lease implements Disposable {
  constructor(
    private readonly log: string[],
    readonly name: string,
  ) {
    log.push(`open ${name}`);
  }
  [Symbol.dispose](): void {
    this.log.push(`close ${this.name}`);
    if (this.name.startsWith("!")) throw new Error(`${this.name} stays open`);
  }
}
const leased = (names: string[]): unknown => {
  const log: string[] = [];
  try {
    using first = new Lease(log, "first");
    for (const name of names) {
      using lease = new Lease(log, name);
      using none = name === "none" ? null : new Lease(log, "inner");
      if (name.endsWith("?")) throw new RangeError(`${lease.name} failed`);
      if (name === "stop") break;
      log.push(none === null ? "nothing" : first.name);
    }
  } catch (error) {
    if (!(error instanceof SuppressedError)) return { log, error: String(error) };
    return { log, error: String(error.error), suppressed: String(error.suppressed), name: error.name };
  }
  return log;
};
const closing = (name: string): string => {
  using lease = new Lease([], name);
  return lease.name;
};

const leasedLater = async (names: string[]): Promise<unknown> => {
  const log: string[] = [];
  const open = (name: string): AsyncDisposable => ({
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
      log.push(`closed ${name}`);
      if (name === "!") throw new Error("still open");
    },
  });
  {
    await using first = open("first");
    await using stack = new AsyncDisposableStack();
    for (const name of names) stack.use(open(name.trim()));
    stack.defer(() => void log.push(typeof first));
  }
  return log;
};

/** Each call defines its classes, because decorators run when a class is defined. */
const decorated = (amounts: number[]): unknown => {
  const log: string[] = [];
  const traced = <This, Args extends unknown[], R>(
    method: (this: This, ...args: Args) => R,
    { kind, name, static: isStatic, private: isPrivate }: ClassMethodDecoratorContext<This>,
  ) =>
    function (this: This, ...args: Args): R {
      log.push(`${kind} ${String(name)} ${isStatic} ${isPrivate} (${args.join()})`);
      return method.apply(this, args);
    };
  const bound = (_: unknown, { name, addInitializer }: ClassMethodDecoratorContext): void =>
    addInitializer(function (this: unknown) {
      const self = this as Record<string | symbol, () => unknown>;
      self[name] = self[name]!.bind(self);
    });
  const atLeast =
    (least: number) =>
    (_: undefined, { name }: ClassFieldDecoratorContext) =>
    (value: number): number => {
      log.push(`field ${String(name)}`);
      return Math.max(least, value);
    };
  const watched = <This>(
    { get, set }: ClassAccessorDecoratorTarget<This, number>,
    { name }: ClassAccessorDecoratorContext<This, number>,
  ): ClassAccessorDecoratorResult<This, number> => ({
    get,
    set(value) {
      log.push(`${String(name)}: ${get.call(this)} to ${value}`);
      set.call(this, value);
    },
    init: (value) => value + 0.5,
  });
  const sealed = (made: new (...args: never[]) => object, { kind, name }: ClassDecoratorContext): void => {
    log.push(`${kind} ${name}`);
    Object.defineProperty(made.prototype, "kind", { value: `sealed ${kind}` });
  };
  @sealed
  class Account {
    @atLeast(10) limit = amounts.length;
    @watched accessor balance = 0;
    @traced static open(...parts: number[]): Account {
      const account = new Account();
      for (const part of parts) account.add(part);
      return account;
    }
    @traced add(amount: number): void {
      if (!(amount >= 0)) throw new RangeError(`${amount} cannot be added`);
      this.balance += this.#rounded(amount);
    }
    @traced #rounded(amount: number): number {
      return Math.round(amount * 100) / 100;
    }
    @bound total(): number {
      return this.balance + this.limit;
    }
  }
  const account = Account.open(...amounts);
  const { total } = account;
  return { total: total(), name: Account.name, kind: Reflect.get(account, "kind"), log };
};

type Event = { readonly type: "add"; readonly by: number } | { readonly type: "reset" };
class Store<in out S, const E extends Event> {
  static made: number;
  static {
    Store.made = 1;
  }
  #listeners = new Set<(state: S) => void>();
  constructor(
    public state: S,
    private readonly reduce: (state: S, event: E) => S,
  ) {}
  on(listener: (state: S) => void): () => boolean {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  send(...events: readonly E[]): this {
    for (const event of events) {
      this.state = this.reduce(this.state, event);
      for (const listener of this.#listeners) listener(this.state);
    }
    return this;
  }
}
const stored = (events: Event[]): unknown => {
  const seen: number[] = [];
  const store = new Store<number, Event>(0, (state, event) => {
    switch (event.type) {
      case "add":
        return state + event.by;
      case "reset":
        return 0;
      default:
        return assertNever(event);
    }
  });
  const off = store.on((state) => void seen.push(state));
  const { state } = store.send(...events);
  return { state, seen, off: [off(), off()], made: String(Store.made) };
};

export const cases: readonly Case[] = [
  { name: "enums", run: enums, rows: [...strings, "Red", "5", "6", "low", "Blue"] },
  {
    name: "rights",
    run: rights,
    rows: [["Read", "Write"], [], ["All"], ["read"], ["__proto__"], ["toString"], [null], "ab", null],
  },
  { name: "namespaces", run: namespaces, rows: [[0, 1, 2], [], [1e308, -0], ["1"], [null], {}, null] },
  {
    name: "parameters",
    run: parameters,
    rows: [[2], [2, 3], [0], [-1], [], ["2"], ["x"], [null, 1], [1, 2, 3], null],
  },
  {
    name: "converted",
    run: converted,
    rows: [
      { amount: 100, currency: "eur" },
      { amount: "100", currency: "jpy" },
      { amount: 1e21, currency: "gbp" },
      { amount: null, currency: "gbp" },
      { currency: "eur" },
      ...strangers.map((currency) => ({ amount: 1, currency })),
      { amount: 1, currency: "toString" },
      null,
    ],
  },
  {
    name: "overloaded",
    run: overloaded,
    rows: [...strings.slice(0, 12), ["a", "bcde"], [], [["x"]], ...strangers],
  },
  {
    name: "asserted",
    run: asserted,
    rows: [
      ...strangers,
      { list: {} },
      { list: [] },
      { list: [{ name: "Ada" }] },
      { list: [{}] },
      { list: "a" },
    ],
  },
  {
    name: "leased",
    run: leased,
    rows: [
      ["a", "b"],
      [],
      ["none"],
      ["stop", "never"],
      ["a?"],
      ["!"],
      ["!?"],
      ["!a", "b"],
      [null],
      "ab",
      null,
    ],
  },
  { name: "closing", run: closing, rows: ["a", "", "!", "!b", null] },
  {
    name: "leasedLater",
    run: leasedLater,
    rows: [["a", " b "], [], ["!"], ["a", "!", "c"], [5], ["a", null], null],
  },
  {
    name: "decorated",
    run: decorated,
    rows: [[1, 2.345], [], [0.1, 0.2, 0.3], [1e21], [1, -1], [null], ["x"], "12", null],
  },
  {
    name: "stored",
    run: stored,
    rows: [
      [{ type: "add", by: 2 }, { type: "reset" }, { type: "add", by: "3" }],
      [],
      [{ type: "add" }],
      [{ type: "other" }],
      [{ type: "__proto__" }],
      [null],
      [1],
      {},
      null,
    ],
  },
];
