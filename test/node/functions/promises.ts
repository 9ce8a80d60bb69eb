import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as tick, setTimeout as wait } from "node:timers/promises";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import type { Case } from "./case.ts";
import { strings } from "./rows.ts";

const later = async <T>(value: T, turns = 1): Promise<T> => {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  return value;
};

const lookup = async (key: string): Promise<number> => {
  await null;
  const table: Readonly<Record<string, number>> = { a: 1, b: 2, c: 3 };
  const value = table[key];
  if (value === undefined) throw new ReferenceError(`no entry for ${key}`);
  return value;
};

const sumOf = async (keys: string[]): Promise<number> =>
  (await Promise.all(keys.map(lookup))).reduce((a, b) => a + b, 0);

const settled = async (keys: string[]): Promise<unknown> =>
  (await Promise.allSettled(keys.map(lookup))).map((one) =>
    one.status === "fulfilled" ? one.value : `${one.reason as Error}`,
  );

const anyOf = async (keys: string[]): Promise<number> => Promise.any(keys.map(lookup));

const fastest = async (turns: number[]): Promise<unknown> =>
  Promise.race(turns.map((count, at) => later(`${at} after ${count}`, count)));

const inTurn = async (words: string[]): Promise<unknown> => {
  const log: string[] = [];
  for (const word of words) {
    log.push(`${await later(word.toUpperCase(), word.length)}`);
    queueMicrotask(() => log.push("micro"));
  }
  await tick();
  return log;
};

/** The order of microtasks and macrotasks. */
const order = async (count: number): Promise<string[]> => {
  const log: string[] = [];
  const timers = Array.from({ length: count }, (_, at) => wait(1).then(() => log.push(`timer ${at}`)));
  process.nextTick(() => log.push("tick"));
  void Promise.resolve().then(() => log.push("micro"));
  await null;
  log.push("main");
  await Promise.all(timers);
  return log;
};

async function* pages(total: number, size: number): AsyncGenerator<readonly number[]> {
  if (size <= 0) throw new RangeError(`pages from ${size}`);
  for (let at = 0; at < total; at += size) {
    await null;
    yield Array.from({ length: Math.min(size, total - at) }, (_, i) => at + i);
  }
}

const paged = async ({ total, size }: { total: number; size: number }): Promise<unknown> => {
  const seen: number[] = [];
  for await (const page of pages(total, size)) seen.push(page.length * 1000 + (page[0] ?? -1));
  return seen;
};

/** At most `limit` at a time. */
const pool = async ({ jobs, limit }: { jobs: number[]; limit: number }): Promise<unknown> => {
  const results: number[] = [];
  let [running, most, next] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    while (next < jobs.length) {
      const at = next++;
      most = Math.max(most, ++running);
      results[at] = (await later(jobs[at] ?? 0, at % 3)) ** 2;
      running--;
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return { results, most };
};

class Timeout extends Error {
  override readonly name = "Timeout";
}

const withTimeout = async ({ work, limit }: { work: number; limit: number }): Promise<string> => {
  const stop = new AbortController();
  const timer = wait(limit, undefined, { signal: stop.signal }).then(() => {
    throw new Timeout(`longer than ${limit} ms`);
  });
  try {
    return await Promise.race([wait(work, "done"), timer]);
  } finally {
    stop.abort();
    timer.catch(() => undefined);
  }
};

const retried = async ({ failures, tries }: { failures: number; tries: number }): Promise<unknown> => {
  let last: unknown;
  for (let attempt = 1; attempt <= tries; attempt++)
    try {
      if (attempt <= failures) throw new Error(`attempt ${attempt} failed`);
      return await later({ attempt });
    } catch (error) {
      last = error;
    }
  throw new AggregateError([last], `all ${tries} attempts failed`);
};

const cleanedUp = async (fail: boolean): Promise<unknown> => {
  const log: string[] = [];
  const use = async (): Promise<string> => {
    try {
      log.push("open");
      if (fail) throw new TypeError(log.join());
      return await later("used");
    } finally {
      await null;
      log.push("closed");
    }
  };
  return [await use(), log];
};

const thenable = async (value: unknown): Promise<unknown> =>
  // oxlint-disable-next-line unicorn/no-thenable -- people do
  ({ given: value, got: await { then: (resolve: (made: unknown) => void) => resolve(value ?? "none") } });

const traced = async (names: string[]): Promise<unknown> => {
  const storage = new AsyncLocalStorage<string>();
  const work = async (): Promise<string> => {
    await later(null, 3);
    return storage.getStore() ?? "outside";
  };
  return Promise.all([...names.map((name) => storage.run(name, work)), work()]);
};

const streamed = async (lines: string[]): Promise<unknown> => {
  const shout = async function* (source: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of source) {
      if (line === "") throw new Error("an empty line");
      yield `${line.toUpperCase()}!\n`;
    }
  };
  return textOf(Readable.from(lines).compose(shout as never));
};

const rejectsValues = async (kind: string): Promise<unknown> => {
  await null;
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  if (kind === "text") return Promise.reject("only text");
  if (kind === "nothing") return Promise.reject();
  if (kind === "late") await wait(2).then(() => JSON.parse("{"));
  if (kind === "inner")
    return new Promise((_, reject) => setTimeout(() => reject(new RangeError("in a timer")), 1));
  return kind;
};

/** Sometimes a promise, sometimes not. */
const sometimes = (key: string): number | Promise<number> =>
  key.length % 2 === 0 ? key.length : lookup(key);

export const cases: readonly Case[] = [
  {
    name: "sumOf",
    run: sumOf,
    rows: [["a", "b", "c"], [], ["a", "x", "y"], ["__proto__"], ["toString"], null, "abc", [null]],
  },
  { name: "settled", run: settled, rows: [["a", "x"], [], "abz", 5] },
  { name: "anyOf", run: anyOf, rows: [["x", "a"], ["x", "y"], [], null] },
  { name: "fastest", run: fastest, rows: [[5, 2, 9], [0], [3, 3], "12"] },
  { name: "inTurn", run: inTurn, rows: [["a", "bc"], [], strings.slice(0, 4), [5], null] },
  { name: "order", run: order, rows: [0, 1, 3] },
  {
    name: "paged",
    run: paged,
    rows: [
      { total: 7, size: 3 },
      { total: 0, size: 1 },
      { total: 5, size: 0 },
      { total: 5, size: -1 },
      { total: 300, size: 7 },
      null,
    ],
  },
  {
    name: "pool",
    run: pool,
    rows: [
      { jobs: [1, 2, 3, 4, 5], limit: 2 },
      { jobs: [], limit: 3 },
      { jobs: [1, 2], limit: 0 },
      { jobs: [3], limit: -1 },
      { jobs: null, limit: 1 },
    ],
  },
  {
    name: "withTimeout",
    run: withTimeout,
    rows: [
      { work: 1, limit: 2000 },
      { work: 1000, limit: 2 },
    ],
  },
  {
    name: "retried",
    run: retried,
    rows: [
      { failures: 2, tries: 3 },
      { failures: 3, tries: 3 },
      { failures: 0, tries: 0 },
    ],
  },
  { name: "cleanedUp", run: cleanedUp, rows: [false, true] },
  { name: "thenable", run: thenable, rows: [1, null, [], "x"] },
  { name: "traced", run: traced, rows: [["a", "b"], [], ["", "__proto__"], null] },
  { name: "streamed", run: streamed, rows: [["a", "b😀"], [], ["a", "", "b"], null, 5] },
  { name: "rejectsValues", run: rejectsValues, rows: ["text", "nothing", "late", "inner", "fine"] },
  { name: "sometimes", run: sometimes, rows: ["a", "ab", "x", "", "😀", null] },
];
