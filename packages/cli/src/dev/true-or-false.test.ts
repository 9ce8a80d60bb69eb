import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { trueOrFalse } from "./true-or-false.ts";

const strict = (...args: readonly string[]): boolean =>
  trueOrFalse(givenTo("dev", ...args), "strict-readiness", true);

test.each([
  [[], true],
  [["--strict-readiness=true"], true],
  [["--strict-readiness=False"], false],
  [["--strict-readiness", "0"], false],
] as const)("%j", (args, expected) => {
  expect(strict(...args)).toBe(expected);
});

test("any other value is refused", () => {
  expect(() => strict("--strict-readiness=no")).toThrow("--strict-readiness is no");
});
