import { expect, test } from "vitest";
import { readArguments } from "../command.ts";
import { commands } from "../commands.ts";
import { trueOrFalse } from "./true-or-false.ts";

const dev = commands.find(({ name }) => name === "dev");
const strict = (...args: readonly string[]): boolean => {
  if (dev === undefined) throw new Error("there is no dev");
  return trueOrFalse(readArguments(dev, args), "strict-readiness", true);
};

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
