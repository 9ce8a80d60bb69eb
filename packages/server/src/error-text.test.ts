import { expect, it } from "vitest";
import { errorText } from "./error-text.ts";

it.each([
  ["short", "short"],
  ["cut\0here", "cut"],
  ["x".repeat(30) + "y".repeat(30), `${"x".repeat(15)}… (40 more characters) …${"y".repeat(5)}`],
])("%j", (text, expected) => {
  expect(errorText(new Error(text), 20)).toBe(expected);
});
