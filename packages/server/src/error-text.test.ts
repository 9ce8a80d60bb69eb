import { expect, it } from "vitest";
import { errorText } from "./error-text.ts";

it.each([
  ["short", "short"],
  ["cut\0here", "cut"],
  ["x".repeat(30) + "y".repeat(30), `${"x".repeat(15)}… (40 more characters) …${"y".repeat(5)}`],
  ["whole 😀, half \ud83d", "whole 😀, half \ufffd"],
  ["😀".repeat(20), `${"😀".repeat(7)}\ufffd… (20 more characters) …\ufffd😀😀`],
])("%j", (text, expected) => {
  expect(errorText(new Error(text), 20)).toBe(expected);
});
