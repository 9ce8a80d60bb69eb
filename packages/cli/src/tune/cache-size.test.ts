import { type NamedTensors, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { createResponseCache } from "../../../runtime/src/scheduling/response-cache.ts";
import { cacheSize } from "./cache-size.ts";

/** The share of each request's later repetitions that a cache of this size answers, if a log is sent ten times, one by one. */
const hitShares = (log: string, sizeOf: (name: string) => number): Readonly<Record<string, number>> => {
  const answerTo = (name: string): NamedTensors =>
    new Map([
      [
        "Y",
        tensorOf(
          "FP32",
          [sizeOf(name)],
          Array.from({ length: sizeOf(name) }, () => 1),
        ),
      ],
    ]);
  const names = log.split("");
  const cache = createResponseCache(
    cacheSize("m", {
      requests: names.map((name) => new Map([["X", tensorOf("BYTES", [1], [name])]])),
      answers: names.map(answerTo),
    }),
  );
  const hits = new Map<string, number>();
  for (let round = 0; round < 10; round++)
    for (const name of names)
      if (cache.find(name) === undefined) cache.keep(name, answerTo(name));
      else hits.set(name, (hits.get(name) ?? 0) + 1);
  return Object.fromEntries(
    names.map((name) => {
      const sent = 10 * names.filter((one) => one === name).length;
      return [name, (hits.get(name) ?? 0) / (sent - 1)];
    }),
  );
};

test("requests that occur once in a log are never answered from the cache, although the log is sent again and again", () => {
  const { a = 0, ...once } = hitShares("abacadaeaf", () => 8);
  expect(a).toBe(1);
  expect(once).toEqual({ b: 0, c: 0, d: 0, e: 0, f: 0 });
});

test("a request that repeats soon is answered from the cache, even if answers have different sizes", () => {
  const { a = 0, b = 0, ...once } = hitShares("aabbcdefgh", (name) => (name < "e" ? 8 : 64));
  expect([a > 0.5, b > 0.5]).toEqual([true, true]);
  expect(once).toEqual({ c: 0, d: 0, e: 0, f: 0, g: 0, h: 0 });
});

test("a cache for a log with one request holds its answer", () => {
  expect(hitShares("aaa", () => 8)).toEqual({ a: 1 });
});
