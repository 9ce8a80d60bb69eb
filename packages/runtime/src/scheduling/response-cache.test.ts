import { type NamedTensors, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { cacheKey, createResponseCache } from "./response-cache.ts";

const answer = (...values: readonly number[]): NamedTensors =>
  new Map([["Y", tensorOf("INT32", [values.length], values)]]);
/** The number of bytes that an answer with one number takes, including what Triton stores about it. */
const one = 80;

test("the least recently used answer is evicted", () => {
  const cache = createResponseCache(2 * one);
  expect(cache.keep("a", answer(1))).toBe(true);
  expect(cache.keep("b", answer(2))).toBe(true);
  expect(cache.find("a")).toEqual(answer(1));
  expect(cache.keep("c", answer(3))).toBe(true);
  expect([cache.find("a"), cache.find("b"), cache.find("c")]).toEqual([answer(1), undefined, answer(3)]);
  cache.took(3, 0);
  cache.took(0, 2);
  const times = { lookupTime: 3, insertionTime: 2 };
  expect(cache.counts()).toEqual({
    entries: 2,
    used: 1,
    lookups: 4,
    hits: 3,
    misses: 1,
    evictions: 1,
    ...times,
  });
});

test("5,000 answers of 10 kB each never exceed a cache size of 1 MB", () => {
  const cache = createResponseCache(1_000_000);
  const large = answer(...Array.from({ length: 2500 }, (_, i) => i));
  for (let i = 0; i < 5000; i++) {
    expect(cache.keep(String(i), large)).toBe(true);
    if (i > 10) expect(cache.find(String(i - 10))).toBeDefined();
  }
  const { entries, used, evictions } = cache.counts();
  expect([entries, evictions]).toEqual([99, 5000 - 99]);
  expect(used).toBeLessThanOrEqual(1);
});

test("an answer that is too large, or has no bytes, is not kept and evicts nothing", () => {
  const cache = createResponseCache(one);
  cache.keep("a", answer(1));
  cache.keep("large", answer(...Array.from({ length: 100 }, () => 7)));
  cache.keep("empty", answer());
  expect(["a", "large", "empty"].map((key) => cache.find(key) !== undefined)).toEqual([true, false, false]);
});

test("an answer does not keep the batch in memory that it was part of", () => {
  const cache = createResponseCache(10 * one);
  const batch = new Uint8Array(1_000_000);
  const views = [batch.subarray(4, 8), batch.subarray(8, 12)] as const;
  cache.keep(
    "a",
    new Map([
      ["Y", { dtype: "INT32", shape: [1], data: views[0] }],
      ["T", { dtype: "BYTES", shape: [1], data: [views[1]] }],
    ]),
  );
  const sizes = [...(cache.find("a") ?? [])].map(([, { data }]) =>
    [data].flat().map(({ buffer: { byteLength } }) => byteLength),
  );
  expect(sizes).toEqual([[4], [4]]);
});

test("the first answer for a key is kept", () => {
  const cache = createResponseCache(10 * one);
  expect([cache.keep("a", answer(1)), cache.keep("a", answer(2))]).toEqual([true, false]);
  expect(cache.find("a")).toEqual(answer(1));
});

test("a key depends on the model, names and bytes, not on the order of the inputs or their shapes", () => {
  const tensor = tensorOf("INT32", [2], [1, 2]);
  const text = tensorOf("BYTES", [2], ["a", "bc"]);
  const key = cacheKey(
    "m",
    new Map([
      ["X", tensor],
      ["T", text],
    ]),
  );
  expect(
    cacheKey(
      "m",
      new Map([
        ["T", text],
        ["X", tensorOf("INT32", [1, 2], [1, 2])],
      ]),
    ),
  ).toBe(key);
  const others = [
    cacheKey(
      "n",
      new Map([
        ["X", tensor],
        ["T", text],
      ]),
    ),
    cacheKey(
      "m",
      new Map([
        ["Y", tensor],
        ["T", text],
      ]),
    ),
    cacheKey(
      "m",
      new Map([
        ["X", tensor],
        ["T", tensorOf("BYTES", [2], ["ab", "c"])],
      ]),
    ),
  ];
  expect(new Set([key, ...others]).size).toBe(4);
});
