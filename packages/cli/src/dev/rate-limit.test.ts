import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { rateLimitOf } from "./rate-limit.ts";

const rateLimit = (...args: readonly string[]) => rateLimitOf(givenTo("dev", ...args));

test("as in Triton, there are no limits unless they are configured", () => {
  expect(rateLimit()).toBeUndefined();
  expect(rateLimit("--rate-limit=off")).toBeUndefined();
  expect(rateLimit("--rate-limit=Execution_Count")).toEqual([]);
  expect(
    rateLimit("--rate-limit=execution_count", "--rate-limit-resource=R:4", "--rate-limit-resource=S:2:1"),
  ).toEqual([
    { name: "R", count: 4 },
    { name: "S", count: 2, device: 1 },
  ]);
});

test.each<readonly [readonly string[], string]>([
  [["--rate-limit=on"], "--rate-limit is on"],
  [["--rate-limit-resource=R:4"], "--rate-limit-resource needs --rate-limit execution_count"],
  ...["R", "R:x", "R:1:2:3", "R:-1"].map(
    (text) =>
      [
        ["--rate-limit=execution_count", `--rate-limit-resource=${text}`],
        `--rate-limit-resource option format is '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got ${text}`,
      ] as const,
  ),
])("%j is refused", (args, words) => {
  expect(() => rateLimit(...args)).toThrow(words);
});
