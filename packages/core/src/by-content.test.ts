import { expect, test } from "vitest";
import { byContent } from "./by-content.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

test("computes a result once for equal contents, and keeps only the most recent results", () => {
  const made: string[] = [];
  const lengthOf = byContent((bytes) => {
    made.push(decodeUtf8(bytes));
    return { length: bytes.length };
  });
  const ask = (...texts: readonly string[]) => texts.map((text) => lengthOf(encodeUtf8(text)).length);
  expect(ask("a", "a", "b", "a", "ab", "a", "b")).toEqual([1, 1, 1, 1, 2, 1, 1]);
  expect(made).toEqual(["a", "b", "ab", "b"]);
  expect(lengthOf(encodeUtf8("b"))).toBe(lengthOf(encodeUtf8("b")));
});
