import { expect, it } from "vitest";
import { checkModelName, checkProfileName } from "./model-name.ts";

it.each(["a", "text-embed_v1.2", "0", "A".repeat(200)])("accepts %s", (name) => {
  expect(checkModelName(name)).toBeUndefined();
});

it.each([
  ["", /empty/],
  [".", /start/],
  ["..", /start/],
  [".hidden", /start/],
  ["-dash", /start/],
  ["a b", /letters/],
  ["a/b", /letters/],
  ["a;b", /letters/],
  ["größe", /letters/],
  ["a\n", /letters/],
  ["a".repeat(201), /200/],
  ["__proto__", /JavaScript/],
])("refuses %j", (name, message) => {
  expect(checkModelName(name)).toMatch(message);
});

it("refuses profiles with names that files or JavaScript cannot have", () => {
  expect(["gpu", "constructor", "_"].map(checkProfileName)).toEqual([undefined, undefined, undefined]);
  expect(checkProfileName("a b")).toMatch(/letters/);
  expect(checkProfileName("__proto__")).toMatch(/__proto__/);
});
