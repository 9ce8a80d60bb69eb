import { isMainThread, MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { compileFunction, createContext, runInContext, Script } from "node:vm";
import type { Case } from "./case.ts";
import { numbers, strangers, strings } from "./rows.ts";

/** A cache that does not keep its values alive. */
class WeakCache<K, V extends object> {
  readonly #refs = new Map<K, WeakRef<V>>();
  readonly #ended = new FinalizationRegistry<K>((key) => void this.#refs.delete(key));
  get(key: K, make: () => V): V {
    const known = this.#refs.get(key)?.deref();
    if (known !== undefined) return known;
    const made = make();
    this.#refs.set(key, new WeakRef(made));
    this.#ended.register(made, key, made);
    return made;
  }
  forget(value: V): boolean {
    return this.#ended.unregister(value);
  }
}
const weakly = (keys: unknown[]): unknown => {
  const cache = new WeakCache<unknown, { readonly key: unknown }>();
  const made = keys.map((key) => cache.get(key, () => ({ key })));
  return {
    same: made.map((one, at) => one === cache.get(keys[at], () => ({ key: "other" }))),
    forgotten: made.map((one) => cache.forget(one)),
  };
};
const weakOf = (value: unknown): unknown => typeof new WeakRef(value as object).deref();

const counted = (steps: number[]): unknown => {
  const shared = new Int32Array(new SharedArrayBuffer(8, { maxByteLength: 16 }));
  const before = steps.map((step) => Atomics.add(shared, 0, step));
  return {
    before,
    now: Atomics.load(shared, 0),
    swapped: Atomics.compareExchange(shared, 0, steps[0] ?? 0, -1),
    waited: Atomics.wait(shared, 1, 0, 1),
    woken: Atomics.notify(shared, 1),
    all: [...shared, Atomics.isLockFree(4)],
  };
};
const outside = (index: number): number => Atomics.store(new Uint8Array(2), index, 300);

async function* paged(pages: number): AsyncGenerator<string, string, number | undefined> {
  let skip = 0;
  try {
    for (let page = 0; page < pages; page += 1 + skip) {
      if (page === 13) throw new RangeError("no page 13");
      skip = (yield `page ${page}`) ?? 0;
    }
    return "end";
  } finally {
    await null;
  }
}
const pagesOf = async ({ pages, skip }: { pages: number; skip?: number[] }): Promise<unknown> => {
  const reader = paged(pages);
  const seen: unknown[] = [];
  for (let next = await reader.next(); ; next = await reader.next(skip?.shift())) {
    seen.push(next.value);
    if (next.done === true || seen.length > 20) break;
  }
  return { seen, after: (await reader.return("closed")).value, all: await Array.fromAsync(paged(3)) };
};

const lines = async (parts: string[]): Promise<unknown> => {
  const stream = ReadableStream.from(parts)
    .pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip"))
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(new TextDecoderStream());
  let text = "";
  for await (const part of stream) text += part;
  return text.split("\n");
};

const bodies = async (text: string): Promise<unknown> => {
  const form = new FormData();
  form.append("file", new Blob([text, new Uint8Array([65])], { type: "text/plain" }), "a.txt");
  form.append("n", "1");
  const response = new Response(form, { status: 201, headers: { "x-a": "1" } });
  const back = await response.formData();
  const file = back.get("file") as File;
  return [await file.text(), file.name, file.type, response.status, [...back.keys()]];
};
const header = ([name, value]: [string, string]): unknown => {
  const headers = new Headers({ b: "1", a: "2" });
  headers.append(name, value);
  return [...headers];
};

const aborted = (reasons: unknown[]): unknown => {
  const controllers = reasons.map(() => new AbortController());
  const any = AbortSignal.any(controllers.map(({ signal }) => signal));
  controllers.forEach((one, at) => one.abort(reasons[at]));
  any.throwIfAborted();
  return { aborted: any.aborted };
};

const posted = (value: unknown): unknown => {
  const { port1, port2 } = new MessageChannel();
  const bytes = new Uint8Array([1, 2, 3]).buffer;
  port1.postMessage({ value, bytes }, [bytes]);
  const { message } = receiveMessageOnPort(port2) as { message: { value: unknown; bytes: ArrayBuffer } };
  port1.close();
  return {
    value: message.value ?? null,
    left: bytes.byteLength,
    moved: message.bytes.byteLength,
    isMainThread,
  };
};

/** A module that adds two numbers. */
const adder = "0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b";
interface Assembly {
  instantiate(
    code: Uint8Array,
  ): Promise<{ readonly instance: { readonly exports: Record<string, unknown> } }>;
}
const { WebAssembly: assembly } = globalThis as unknown as { readonly WebAssembly: Assembly };
const wasm = async ({ a, b, code = adder }: { a: number; b: number; code?: string }): Promise<unknown> => {
  const { instance } = await assembly.instantiate(Buffer.from(code, "hex"));
  return (instance.exports["add"] as (a: number, b: number) => number)(a, b);
};

const compiled = ([source, x]: [string, unknown]): unknown =>
  (new Function("x", `"use strict"; return ${source}`) as (x: unknown) => unknown)(x) ?? null;
const contexts = (source: string): unknown => {
  const context = createContext({ seen: [] as unknown[] });
  const value: unknown = runInContext(source, context, { timeout: 1000 });
  const again = compileFunction("return a + 1", ["a"]) as (a: number) => number;
  return {
    value: value ?? null,
    seen: context["seen"] as unknown,
    again: again(1),
    made: new Script("1").runInThisContext(),
  };
};

const lazy = ({ from, take }: { from: number; take: number }): unknown => {
  const naturals = function* (): Generator<number> {
    for (let n = from; ; n++) yield n;
  };
  const even = naturals()
    .filter((n) => n % 2 === 0)
    .map((n, at) => n * at)
    .drop(1)
    .take(take);
  return {
    even: even.toArray(),
    some: naturals()
      .take(5)
      .some((n) => n === from + 4),
    sum: Iterator.from([from, 1]).reduce((a, b) => a + b),
    flat: Iterator.from([[1], [from]])
      .flatMap((list) => list)
      .toArray(),
  };
};
const grouped = (list: { kind: string; n: number }[]): unknown => {
  const byKind = Object.groupBy(list, ({ kind }) => kind);
  const bySign = Map.groupBy(list, ({ n }) => Math.sign(n));
  return {
    byKind,
    keys: Object.keys(byKind),
    signs: [...bySign.keys()],
    proto: Object.getPrototypeOf(byKind),
  };
};
const sets = ([a, b]: [unknown[], unknown[]]): unknown => {
  const [one, two] = [new Set(a), new Set(b)];
  return {
    union: [...one.union(two)],
    both: [...one.intersection(two)],
    only: [...one.difference(two), "|", ...one.symmetricDifference(two)],
    is: [one.isSubsetOf(two), one.isSupersetOf(two), one.isDisjointFrom(two)],
  };
};
const tried = async (row: unknown): Promise<unknown> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  void Promise.try(() => (row as { toString(): string }).toString()).then(resolve, (error: Error) =>
    resolve([error.name, Error.isError(error), Error.isError({ __proto__: Error.prototype })]),
  );
  return promise;
};
const escaped = (text: string): unknown => [
  RegExp.escape(text).slice(0, 200),
  new RegExp(RegExp.escape(text)).test(`a${text}b`),
  text.isWellFormed(),
  text.toWellFormed().length,
  text
    .replace(new RegExp("(?i:THE)|(?<w>[a-c])|(?<w>\\d)", "v"), (...all) => JSON.stringify(all.at(-1)))
    .slice(0, 60),
];
const halves = (list: number[]): unknown => {
  const halved = new Float16Array(list);
  return [
    [...halved],
    [...new Uint16Array(halved.buffer)],
    list.map((n) => Math.f16round(n)),
    halved.byteLength,
  ];
};
const buffers = (size: number): unknown => {
  const buffer = new ArrayBuffer(size, { maxByteLength: 64 });
  const view = new Uint8Array(buffer);
  view.fill(7);
  buffer.resize(2 * size);
  const moved = buffer.transferToFixedLength();
  return [
    view.length,
    moved.byteLength,
    buffer.detached,
    [...new Uint8Array(moved)].join(""),
    moved.resizable,
  ];
};
const arrays = ([list, at, value]: [unknown[], number, unknown]): unknown => ({
  changed: list.with(at, value),
  spliced: list.toSpliced(at, 1, value, value),
  sorted: list.toSorted().toReversed(),
  last: list.findLast((one) => typeof one === "string") ?? null,
  at: list.at(at) ?? null,
});

export const cases: readonly Case[] = [
  { name: "weakly", run: weakly, rows: [["a", "b", "a"], [], [null, "__proto__", 0, -0], "aa", {}, null] },
  { name: "weakOf", run: weakOf, rows: [...strangers, "text", 5] },
  { name: "counted", run: counted, rows: [[1, 2, 3], [], [2 ** 31, 1], [0.9, "4"], [null], ["x"], {}, null] },
  { name: "outside", run: outside, rows: [0, 1, 2, -1, 0.5, "1", null, "x"] },
  {
    name: "pagesOf",
    run: pagesOf,
    rows: [{ pages: 3 }, { pages: 0 }, { pages: 9, skip: [1, 2] }, { pages: 14 }, { pages: "2" }, {}, null],
  },
  {
    name: "lines",
    run: lines,
    rows: [["a\n", "b"], [], ["ü😀\n".repeat(9)], ["\ud800"], [""], "a\nb", [5], {}, null],
  },
  { name: "bodies", run: bodies, rows: strings },
  {
    name: "header",
    run: header,
    rows: [
      ["X-Ab", " v "],
      ["a", "3"],
      ["set-cookie", "x"],
      ["a b", "1"],
      ["", ""],
      ["c", "\n"],
      ["c", "ü"],
      ["c", "日"],
      [],
      null,
    ],
  },
  { name: "aborted", run: aborted, rows: [[], ["text"], [null], [{ a: 1 }, 2], 5, null] },
  { name: "posted", run: posted, rows: [...strangers, "text", 1.5] },
  {
    name: "wasm",
    run: wasm,
    rows: [
      { a: 1, b: 2 },
      { a: 2 ** 31, b: 2 ** 31 },
      { a: "3", b: null },
      { a: 1.9 },
      { a: 1, b: 1, code: "" },
      { a: 1, b: 1, code: "0061736d01000000" },
      { a: 1, b: 1, code: adder.replace("6a0b", "ff0b") },
      null,
    ],
  },
  {
    name: "compiled",
    run: compiled,
    rows: [
      ["x + 1", 1],
      ["[...x].length", "a😀"],
      ["x =", 1],
      ["undefined", 1],
      ["arguments.length", 1],
      ["", 1],
      [null, 1],
    ],
  },
  {
    name: "contexts",
    run: contexts,
    rows: [
      "seen.push(1); 2",
      "typeof process",
      "this.seen.length",
      "1 +",
      "",
      "seen.push('__proto__')",
      "[1].constructor === Array",
    ],
  },
  {
    name: "lazy",
    run: lazy,
    rows: [
      { from: 1, take: 3 },
      { from: 0, take: 0 },
      { from: -3, take: 2 },
      { from: 1, take: -1 },
      { from: 1 },
      { from: 1, take: "2" },
      null,
    ],
  },
  {
    name: "grouped",
    run: grouped,
    rows: [
      [
        { kind: "a", n: 1 },
        { kind: "b", n: -1 },
        { kind: "a", n: 0 },
      ],
      [],
      [{ kind: "__proto__", n: 1 }],
      [{ n: "x" }],
      [null],
      "ab",
      {},
      null,
    ],
  },
  {
    name: "sets",
    run: sets,
    rows: [
      [
        [1, 2, 3],
        [2, 3, 4],
      ],
      [[], []],
      [
        ["__proto__", null, 0],
        [-0, "0"],
      ],
      [[1], [1, 2]],
      ["abc", "bcd"],
      [[1]],
      [5, []],
      null,
    ],
  },
  { name: "tried", run: tried, rows: strangers },
  { name: "escaped", run: escaped, rows: [...strings, 5, null] },
  { name: "halves", run: halves, rows: [numbers, [], [1, 65520, 6e-8, -0], "12", 3, {}, null] },
  { name: "buffers", run: buffers, rows: [0, 4, 32, 33, 65, -1, 2.5, "8", null, "x"] },
  {
    name: "arrays",
    run: arrays,
    rows: [
      [[3, 1, "b", "a"], 1, 5],
      [[], 0, 1],
      [[1], -1, null],
      [[1, 2], -3, 0],
      [[1], "0", 2],
      ["ab", 0, "c"],
      [[null, "a"], 1, 2],
      null,
    ],
  },
];
