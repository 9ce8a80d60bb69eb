import { expect, test } from "vitest";
import { parseNumbers } from "./not-finite.ts";

test("numbers may be NaN or infinite, and texts with these words stay texts", () => {
  expect(parseNumbers(String.raw`[nan, -inf, 1, "nan", "a \" nan", "\\", Infinity]`)).toEqual([
    NaN,
    -Infinity,
    1,
    "nan",
    'a " nan',
    "\\",
    Infinity,
  ]);
});

test("a text may be 20 MB long", () => {
  const text = "x".repeat(20_000_000);
  expect(parseNumbers(`["${text}", nan]`)).toEqual([text, NaN]);
});
