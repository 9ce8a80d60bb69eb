import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";

function* range(from: number, to: number, step = 1): Generator<number, string> {
  if (step === 0) throw new RangeError("the step is 0");
  for (let at = from; step > 0 ? at < to : at > to; at += step) yield at;
  return "done";
}

const ranges = ({ from, to, step }: { from: number; to: number; step?: number }): number[] => [
  ...range(from, to, step),
];

function* primes(): Generator<number, never> {
  const composites = new Map<number, number[]>();
  for (let n = 2; ; n++) {
    const factors = composites.get(n);
    if (factors === undefined) {
      yield n;
      composites.set(n * n, [n]);
    } else {
      for (const factor of factors)
        composites.set(n + factor, [...(composites.get(n + factor) ?? []), factor]);
      composites.delete(n);
    }
  }
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  if (count <= 0) return;
  for (const item of items) {
    yield item;
    if (--count <= 0) return;
  }
}

const firstPrimes = (count: number): number[] => [...take(primes(), count)];

function* windows<T>(items: Iterable<T>, size: number): Generator<readonly T[]> {
  const window: T[] = [];
  for (const item of items) {
    window.push(item);
    if (window.length > size) window.shift();
    if (window.length === size) yield [...window];
  }
}

const bigrams = (text: string): unknown => {
  const counts = new Map<string, number>();
  for (const pair of windows(text, 2)) counts.set(pair.join(""), (counts.get(pair.join("")) ?? 0) + 1);
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 10);
};

/** A generator that receives commands and cleans up. */
const accumulator = (commands: readonly (number | string)[]): unknown => {
  const log: string[] = [];
  function* sum(): Generator<number, string, number> {
    let total = 0;
    try {
      for (;;) {
        try {
          total += yield total;
        } catch (error) {
          log.push(`caught ${String(error)}`);
          total = 0;
        }
      }
    } finally {
      log.push(`closed at ${total}`);
    }
  }
  const running = sum();
  running.next();
  for (const command of commands) {
    if (command === "reset") running.throw(new Error("reset"));
    else if (command === "end") log.push(JSON.stringify(running.return("ended")));
    else log.push(JSON.stringify(running.next(command as number)));
  }
  return log;
};

function* flatten(value: unknown, path: readonly (string | number)[] = []): Generator<[string, unknown]> {
  if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* flatten(one, [...path, at]);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) yield* flatten(one, [...path, key]);
  else yield [path.join("."), value];
}

const flat = (value: unknown): unknown => Object.fromEntries(flatten(value));

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries())
    for (const rest of permutations(items.toSpliced(at, 1))) yield [item, ...rest];
}

const anagrams = (word: string): string[] =>
  [...new Set([...take(permutations([...word]), 5000)].map((one) => one.join("")))].slice(0, 60);

const zipped = (lists: readonly (readonly unknown[])[]): unknown => {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const rows: unknown[][] = [];
  for (;;) {
    const next = iterators.map((one) => one.next());
    if (next.length === 0 || next.some(({ done }) => done)) return rows;
    rows.push(next.map(({ value }) => value));
  }
};

const groups = (words: readonly string[]): unknown => {
  const byLength = new Map<number, Set<string>>();
  for (const word of words) byLength.set(word.length, (byLength.get(word.length) ?? new Set()).add(word));
  return [...byLength.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([length, all]) => ({ length, all: [...all] }));
};

const setAlgebra = ([a, b]: [unknown[], unknown[]]): unknown => {
  const [left, right] = [new Set(a), new Set(b)];
  return {
    union: [...new Set([...left, ...right])],
    both: [...left].filter((one) => right.has(one)),
    either: [...left, ...right].filter((one) => left.has(one) !== right.has(one)),
    subset: [...left].every((one) => right.has(one)),
  };
};

/** Map keys are not property names. */
const histogram = (values: unknown[]): unknown => {
  const byValue = new Map<unknown, number>();
  const byName: Record<string, number> = Object.create(null);
  for (const value of values) {
    byValue.set(value, (byValue.get(value) ?? 0) + 1);
    byName[String(value)] = (byName[String(value)] ?? 0) + 1;
  }
  return { size: byValue.size, names: Object.entries(byName), nan: byValue.get(Number.NaN) ?? 0 };
};

const memo = new WeakMap<object, number>();
const depthOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  const known = memo.get(value);
  if (known !== undefined) return known;
  const depth = 1 + Math.max(0, ...Object.values(value).map(depthOf));
  memo.set(value, depth);
  return depth;
};

const topological = (edges: Readonly<Record<string, readonly string[]>>): string[] => {
  const [done, open, order] = [new Set<string>(), new Set<string>(), [] as string[]];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    if (open.has(name)) throw new Error(`a circle: ${[...open, name].join(" → ")}`);
    open.add(name);
    for (const next of edges[name] ?? []) visit(next);
    open.delete(name);
    done.add(name);
    order.push(name);
  };
  Object.keys(edges).forEach(visit);
  return order;
};

const dijkstra = ({
  graph,
  from,
}: {
  graph: Record<string, Record<string, number>>;
  from: string;
}): unknown => {
  const distances = new Map([[from, 0]]);
  const queue: [number, string][] = [[0, from]];
  while (queue.length > 0) {
    queue.sort(([a], [b]) => a - b);
    const [distance, name] = queue.shift() as [number, string];
    if (distance > (distances.get(name) ?? Infinity)) continue;
    for (const [next, cost] of Object.entries(graph[name] ?? {})) {
      if (cost < 0) throw new RangeError(`${name} → ${next} costs ${cost}`);
      if (distance + cost < (distances.get(next) ?? Infinity)) {
        distances.set(next, distance + cost);
        queue.push([distance + cost, next]);
      }
    }
  }
  return Object.fromEntries(distances);
};

/** Calls itself until the stack overflows. */
const climb = (steps: number): number => (steps === 0 ? 0 : 1 + climb(steps - 1));

export const cases: readonly Case[] = [
  {
    name: "ranges",
    run: ranges,
    rows: [
      { from: 0, to: 5 },
      { from: 5, to: 0, step: -2 },
      { from: 0, to: 1, step: 0.1 },
      { from: 0, to: 1, step: 0 },
      { from: 2 ** 53 - 2, to: 2 ** 53 },
      { from: "b", to: "a" },
      {},
      null,
    ],
  },
  { name: "firstPrimes", run: firstPrimes, rows: [0, 1, 30, 200, -1, "3", null, [4]] },
  { name: "bigrams", run: bigrams, rows: [...strings, 5, null, ["a", "b", "a"]] },
  {
    name: "accumulator",
    run: accumulator,
    rows: [[1, 2, "reset", 3, "end", 4], [], ["end", "reset"], [null, "x"], ["reset", "end", "end"], 5],
  },
  { name: "flat", run: flat, rows: [...strangers, { a: [{ b: 1 }, [2, 3]], "": { "x.y": null } }] },
  {
    name: "anagrams",
    run: anagrams,
    rows: ["", "abc", "aab", "😀é", "abcdefgh", "\ud800a", null, { length: 2 }],
  },
  {
    name: "zipped",
    run: zipped,
    rows: [
      [
        [1, 2, 3],
        ["a", "b"],
      ],
      [],
      [[]],
      ["ab", "cd"],
      [[1], 5],
      null,
    ],
  },
  {
    name: "groups",
    run: groups,
    rows: [["a", "bb", "c", "bb"], [], ["😀", "é", ""], strings.slice(0, 12), [null], ["a", 5], "abc"],
  },
  {
    name: "setAlgebra",
    run: setAlgebra,
    rows: [
      [
        [1, 2, 2, 3],
        [2, 3, 4],
      ],
      [[], []],
      [
        ["a", null, 0, "0"],
        [0, null],
      ],
      [["x"], "xyz"],
      [[1]],
      [[1], 2],
      [[], [{}]],
    ],
  },
  {
    name: "histogram",
    run: histogram,
    rows: [
      ["a", "b", "a"],
      ["__proto__", "constructor", "__proto__"],
      [1, "1", true, "true", null, "null"],
      [[], [], {}],
      strings,
      [],
      {},
      null,
    ],
  },
  { name: "depthOf", run: depthOf, rows: [...strangers, { a: { b: { c: [1, [2]] } } }] },
  {
    name: "topological",
    run: topological,
    rows: [
      { a: ["b", "c"], b: ["c"], c: [] },
      {},
      { a: ["b"], b: ["c"], c: ["a"] },
      { toString: ["x"] },
      { a: "bc" },
      { a: ["constructor"] },
      { a: 5 },
      null,
    ],
  },
  {
    name: "dijkstra",
    run: dijkstra,
    rows: [
      { graph: { a: { b: 7, c: 1 }, c: { b: 2, d: 9 }, b: { d: 1 } }, from: "a" },
      { graph: {}, from: "x" },
      { graph: { a: { b: -1 } }, from: "a" },
      { graph: { a: { a: 0, b: 0.1 }, b: { c: 0.2 } }, from: "a" },
      { from: "a" },
    ],
  },
  { name: "climb", run: climb, rows: [0, 1000, 1e7] },
];
