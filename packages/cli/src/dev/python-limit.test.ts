import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { pythonLimitOf } from "./python-limit.ts";

const limit = (...args: readonly string[]): number | undefined => pythonLimitOf(givenTo("dev", ...args));

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
