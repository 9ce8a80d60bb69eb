import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";

interface Options {
  readonly name?: string;
  readonly size?: { readonly width?: number; readonly height?: number };
  readonly tags?: readonly string[];
}

const defaults = ({
  name = "unnamed",
  size: { width = 1, height = width * 2 } = {} as { width?: number; height?: number },
  tags: [first = "none", ...others] = [],
  ...rest
}: Options): unknown => ({ name, width, height, first, others, rest });

const swaps = (list: unknown[]): unknown => {
  const copy = [...list];
  [copy[0], copy[copy.length - 1]] = [copy.at(-1), copy[0]];
  const [, second, ...{ length, 0: third }] = copy;
  return { copy, second: second ?? null, length, third: third ?? null };
};

const spread = ([a, b]: [Record<string, unknown>, unknown[]]): unknown => {
  const text = (...parts: unknown[]): string => parts.map((part, at) => `${at}=${String(part)}`).join();
  return {
    merged: { ...{ x: 1 }, ...a, ...{ x: a["x"] ?? 2 }, ...(b.length > 1 && { many: true }) },
    list: [...b, ...b],
    called: text(...b, ...Object.keys(a)),
    most: Math.max(...(b as number[])),
  };
};

/** The first pair with this sum. */
const pairs = ({ values, sum }: { values: number[]; sum: number }): unknown => {
  let steps = 0;
  outer: for (const [i, a] of values.entries()) {
    if (a > sum) continue;
    for (let j = i + 1; j < values.length; j++) {
      steps++;
      const b = values[j];
      if (b === undefined || b < 0) continue outer;
      if (a + b === sum) return { i, j, steps };
      if (steps > 1000) break outer;
    }
  }
  return { steps };
};

const classify = (code: number | string): string => {
  let log = "";
  switch (code) {
    case 200:
    case 204:
      return "fine";
    // @ts-expect-error it falls through
    case 404:
      log += "missing ";
    case 410:
      log += "gone";
      break;
    // @ts-expect-error it falls through
    default:
      if (typeof code === "number" && code >= 500) throw new Error(`server error ${code}`);
    case "x":
      log += `other ${code}`;
  }
  return log;
};

const counters = (steps: number[]): unknown => {
  const make = (start = 0) => {
    let count = start;
    return {
      add: (by = 1): number => (count += by),
      get value() {
        return count;
      },
      reset: () => void (count = start),
    };
  };
  const [a, b] = [make(), make(10)];
  const handlers = [];
  for (var i = 0, j = 0; i < steps.length; i++, j += 2) {
    const at = i;
    handlers.push(() => [at, i, j]);
    a.add(steps[i]);
    b.add();
  }
  return { a: a.value, b: b.value, handlers: handlers.map((f) => f()), again: (b.reset(), b.value) };
};

const sql = (
  strings: TemplateStringsArray,
  ...values: unknown[]
): { readonly text: string; readonly raw: readonly string[]; readonly values: readonly unknown[] } => ({
  text: strings.reduce((text, part, at) => `${text}$${at}${part}`),
  raw: strings.raw,
  values,
});

const query = ({ table, id }: { table: string; id: unknown }): unknown =>
  sql`SELECT *\tFROM "${table}"\u0020WHERE id = ${id ?? null} -- \${x} ü😀`;

const templates = (name: string): string[] => [
  `Hello, ${name ? `dear ${name.toUpperCase()}` : "stranger"}!`,
  String.raw`C:\new\${name}\u{41}`,
  `line one
  line two ${[1, 2].map((n) => `<${n}>`).join("")}`,
];

const logged = (keys: string[]): unknown => {
  const log: string[] = [];
  const target: Record<string, unknown> = { a: 1, secret: 2 };
  const proxy = new Proxy(target, {
    get: (on, key, receiver) => (log.push(`get ${String(key)}`), Reflect.get(on, key, receiver) as unknown),
    has: (on, key) => key !== "secret" && Reflect.has(on, key),
    ownKeys: (on) => Reflect.ownKeys(on).filter((key) => key !== "secret"),
    deleteProperty: (on, key) => {
      if (key === "a") return false;
      return Reflect.deleteProperty(on, key);
    },
  });
  const seen = keys.map((key) => [key in proxy, proxy[key] === undefined]);
  for (const key of keys) delete proxy[key];
  return { seen, log, keys: Object.keys(proxy), text: JSON.stringify(proxy) };
};

const chained = (words: string[]): string => {
  const path: string[] = [];
  const builder: object = new Proxy(() => undefined, {
    get: (_, key) => (path.push(String(key)), builder),
    apply: (_, __, given) => (path.push(`(${given.join()})`), builder),
  });
  let at = builder as Record<string, Record<string, (x: string) => unknown>>;
  for (const word of words)
    at = (at[word] as Record<string, (x: string) => unknown>)["of"]?.(word) as typeof at;
  return path.join(".");
};

const symbols = (name: string): unknown => {
  const key = Symbol(name);
  const one = {
    [key]: 1,
    [Symbol.for(name)]: 2,
    visible: 3,
    [Symbol.toPrimitive]: () => 42,
    [`${name}!`]: 4,
  };
  return {
    keys: Object.keys(one),
    symbols: Object.getOwnPropertySymbols(one).map(String),
    same: Symbol.for(name) === Symbol.for(name),
    sum: (one as unknown as number) + 1,
    description: key.description,
  };
};

const joined = (name: string): string => `${Symbol(name) as unknown as string}`;

const frozen = (row: Record<string, unknown>): unknown => {
  const settings = Object.freeze({ limit: 3, list: [1], ...row });
  (settings.list as unknown[]).push(2);
  (settings as { limit: number }).limit = 4;
  return settings;
};

const reflected = (given: unknown[]): unknown => {
  const made = Reflect.construct(Date, given) as Date;
  const sorted = Reflect.ownKeys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol.iterator]: 1 }).map(String);
  return {
    at: made.getTime(),
    sorted,
    applied: Reflect.apply(Math.max, null, given.map(Number)),
    is: Reflect.has(Date, "now"),
  };
};

const optional = (
  row: { user?: { name?: string; address?: { lines?: string[] } | null; greet?: () => string } } | null,
): unknown => {
  const lines = row?.user?.address?.lines;
  const count = (lines?.length ?? -1) || "empty";
  let title = row?.user?.name;
  title ||= "nobody";
  return {
    first: lines?.[0]?.trim() ?? null,
    count,
    title,
    greet: row?.user?.greet?.() ?? "silent",
    deep: lines![lines!.length - 1]!.length,
  };
};

const pipe =
  <T>(...steps: ((value: T) => T)[]) =>
  (value: T): T =>
    steps.reduce((made, step) => step(made), value);
const tidy = pipe<string>(
  (text) => text.trim(),
  (text) => text.normalize("NFC"),
  (text) => [...text].filter((char) => char >= " ").join(""),
  (text) => (text.length > 50 ? `${text.slice(0, 49)}…` : text),
);

const fixed = <A, R>(f: (self: (given: A) => R, given: A) => R) => {
  const self = (given: A): R => f(self, given);
  return self;
};
const ackermann = fixed(function ackermann(
  self: (given: [number, number]) => number,
  [m, n]: [number, number],
): number {
  return m === 0 ? n + 1 : self([m - 1, n === 0 ? 1 : self([m, n - 1])]);
});

const accessors = (text: string): unknown => {
  const person = {
    first: "",
    last: "",
    get full() {
      return `${this.first} ${this.last}`.trim();
    },
    set full(value: string) {
      const [first, last, ...rest] = value.split(" ");
      if (first === undefined || last === undefined || rest.length > 0)
        throw new RangeError(`“${value}” is not two words`);
      Object.assign(this, { first, last });
    },
  };
  person.full = text;
  return { ...person, described: Object.getOwnPropertyDescriptor(person, "full")?.get?.name };
};

function legacy(this: unknown, row: unknown[]): unknown {
  function inner(..._: unknown[]): unknown {
    // oxlint-disable-next-line prefer-rest-params
    return { count: arguments.length, first: arguments[0] ?? null, own: typeof this_ };
  }
  const this_ = this;
  return [
    inner.apply(null, row as never),
    (inner as (...given: unknown[]) => unknown).call(null, ...row),
    inner.bind(null, 1).name,
    legacy.length,
  ];
}

const große = { 名前: "ключ", ñ: 1, "\u{1F600}": "😀" } as const;
const unicodeNames = (key: string): unknown => ({
  value: (große as Record<string, unknown>)[key] ?? null,
  name: ((ünï: number) => ünï).toString().length > 0,
  keys: Object.keys(große),
});

const coerced = (value: unknown): unknown => [
  `${value as string}`,
  (value as string) + "",
  +(value as number) || 0,
  !value,
  // oxlint-disable-next-line eqeqeq
  value == false,
  typeof value,
  (value as number) < 1,
  [value].flat().length,
];

const notCalled = (row: { name: string }): unknown => {
  const table: Record<string, () => string> = { hello: () => "hi" };
  return table[row.name]!();
};

const assigned = (value: number): number => {
  const settings: { limit: number } = {
    get limit() {
      return 10;
    },
  };
  if (value > settings.limit) settings.limit = value;
  return settings.limit;
};

const early = (value: number): number => {
  const f = () => total;
  if (value > 1) f();
  const total = value * 2;
  return f();
};

export const cases: readonly Case[] = [
  {
    name: "defaults",
    run: defaults,
    rows: [
      {},
      { name: "x", size: { width: 3 }, tags: ["a", "b", "c"], extra: 1 },
      { size: null },
      { name: null, tags: "ab" },
      { tags: 5 },
      JSON.parse('{"__proto__": {"name": "p"}}'),
      null,
    ],
  },
  { name: "swaps", run: swaps, rows: [[1, 2, 3], [], [1], "abc", {}, null] },
  {
    name: "spread",
    run: spread,
    rows: [
      [{ x: null, y: 1 }, [3, 1]],
      [{}, []],
      [{ x: 5 }, ["a"]],
      ["ab", [1]],
      [{}, {}],
      [{}, null],
      [JSON.parse('{"__proto__": 5}'), [1, 2]],
    ],
  },
  {
    name: "pairs",
    run: pairs,
    rows: [
      { values: [1, 5, 3, 7], sum: 10 },
      { values: [], sum: 0 },
      { values: Array.from({ length: 90 }, () => 1), sum: 3 },
      { values: [1, -1, 2], sum: 0 },
      { values: "123", sum: 3 },
      { sum: 1 },
    ],
  },
  { name: "classify", run: classify, rows: [200, 204, 404, 410, "x", "200", 500, 503.5, null, -1] },
  { name: "counters", run: counters, rows: [[1, 2, 3], [], [0.1, 0.2], ["a"], [null], null] },
  { name: "query", run: query, rows: [{ table: "users", id: 1 }, { table: 'x";--', id: null }, {}, null] },
  { name: "templates", run: templates, rows: [...strings.slice(0, 12), null, 5] },
  { name: "logged", run: logged, rows: [["b", "secret", "toString"], [], ["a"], [null], null] },
  { name: "chained", run: chained, rows: [["a", "b"], [], ["__proto__", "then"], [1], null] },
  { name: "symbols", run: symbols, rows: ["a", "", "toString", null] },
  { name: "joined", run: joined, rows: ["a", null] },
  { name: "frozen", run: frozen, rows: [{}, { limit: 9 }, null] },
  { name: "reflected", run: reflected, rows: [[2020, 1, 29], [0], ["x"], [null], {}, [{ valueOf: 1 }]] },
  {
    name: "optional",
    run: optional,
    rows: [
      { user: { name: "A", address: { lines: [" x ", "yz"] } } },
      { user: { address: { lines: [] } } },
      { user: { address: null } },
      {},
      null,
      { user: { greet: "x", address: { lines: ["a"] } } },
      { user: { address: { lines: [5] } } },
    ],
  },
  { name: "tidy", run: tidy, rows: [...strings, null] },
  { name: "ackermann", run: ackermann, rows: [[0, 0], [1, 5], [2, 3], [3, 3], null] },
  { name: "accessors", run: accessors, rows: ["Ada Lovelace", "Plato", "", "a b c", "\ud800 x", null] },
  {
    name: "legacy",
    run: (row: unknown[]) => legacy.call({}, row),
    rows: [[1, 2], [], "ab", [null], { length: 2 }, null],
  },
  { name: "unicodeNames", run: unicodeNames, rows: ["名前", "ñ", "n\u0303", "😀", "__proto__x"] },
  { name: "coerced", run: coerced, rows: [...strangers, [1], ["2", 3], "1", -1] },
  {
    name: "notCalled",
    run: notCalled,
    rows: [{ name: "hello" }, { name: "bye" }, { name: "__proto__" }, { name: "toString" }, null],
  },
  { name: "assigned", run: assigned, rows: [1, 11] },
  { name: "early", run: early, rows: [1, 2] },
];
