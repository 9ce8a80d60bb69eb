import { describe, expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

describe("suggests the intended candidate", () => {
  test.each([
    ["pyhton", ["onnxruntime", "python"], "python"],
    ["TEXT", ["text", "texts"], "text"],
    ["txet", ["next", "text"], "text"],
    // If several candidates are equally similar, the first one is suggested.
    ["cat", ["bat", "hat"], "bat"],
    ["a", ["xyz"], undefined],
    ["input", ["output_of_another_model"], undefined],
    ["ab", ["ba"], "ba"],
  ])("%s among %s: %s", (name, candidates, nearest) => {
    expect(didYouMean(name, candidates)).toBe(nearest);
  });

  test("a one-megabyte name gets no suggestion", () => {
    const long = "a-".repeat(500_000);
    expect(didYouMean(long, [`${long}b`, "a"])).toBe(undefined);
    expect(didYouMean("a", [long, "b"])).toBe("b");
  });

  test("thousands of candidates give no suggestion", () => {
    const names = Array.from({ length: 5000 }, (_, i) => `x${i}`);
    expect(didYouMean("x12_", names)).toBe(undefined);
  });
});
