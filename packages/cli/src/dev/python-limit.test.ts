import { expect, test } from "vitest";
import { readArguments } from "../command.ts";
import { commands } from "../commands.ts";
import { pythonLimitOf } from "./python-limit.ts";

const dev = commands.find(({ name }) => name === "dev");
const limit = (...args: readonly string[]): number | undefined => {
  if (dev === undefined) throw new Error("there is no dev");
  return pythonLimitOf(readArguments(dev, args));
};

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["1.5s", 1500],
  ["2m", 120_000],
])("%s", (written, milliseconds) => {
  expect(limit("--python-timeout", written)).toBe(milliseconds);
});

test("there is no limit by default", () => {
  expect(limit()).toBeUndefined();
});

test.each(["30", "0s", "s", "-1s", "1h", "0.1ms", "1e9m", "99999999m", ""])("%j is refused", (written) => {
  expect(() => limit(`--python-timeout=${written}`)).toThrow(`--python-timeout is ${written}`);
});
