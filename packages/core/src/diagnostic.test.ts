import { expect, test } from "vitest";
import { type Diagnostic, defineDiagnostics, sortDiagnostics } from "./diagnostic.ts";
import { didYouMean } from "./did-you-mean.ts";

const diagnose = defineDiagnostics({
  "shape/small": { severity: "error", message: "`{name}` has {count} dims", help: "give `{name}` one more" },
  "shape/odd": { severity: "warning", message: "odd" },
} as const);

test("placeholders are filled in both the message and the help", () => {
  expect(diagnose("shape/small", { with: { name: "x", count: 0 }, labels: [] })).toEqual({
    code: "shape/small",
    severity: "error",
    message: "`x` has 0 dims",
    labels: [],
    notes: [],
    help: "give `x` one more",
  });
});

test("a report's own help replaces the catalog's help", () => {
  expect(
    diagnose("shape/small", { with: { name: "x", count: 0 }, labels: [], help: "look there" }).help,
  ).toBe("look there");
});

test("a missing or unknown parameter does not type-check", () => {
  // @ts-expect-error: `count` is missing
  diagnose("shape/small", { with: { name: "x" }, labels: [] });
  // @ts-expect-error: there is no such code
  expect(() => diagnose("shape/none", { with: {}, labels: [] })).toThrow(TypeError);
});

const at = (file: string, line: number, code = "shape/odd"): Diagnostic => ({
  ...diagnose("shape/odd", { with: {}, labels: [{ span: { file, line, column: 1 }, text: "" }] }),
  code,
});

test("diagnostics are sorted by file, line, code; those without a position come first", () => {
  const nowhere = diagnose("shape/odd", { with: {}, labels: [] });
  const sorted = sortDiagnostics([
    at("b.ts", 1),
    at("a.ts", 10),
    at("a.ts", 9, "b/b"),
    at("a.ts", 9, "a/a"),
    nowhere,
  ]);
  expect(sorted.map(({ code, labels }) => [code, labels[0]?.span.file, labels[0]?.span.line])).toEqual([
    ["shape/odd", undefined, undefined],
    ["a/a", "a.ts", 9],
    ["b/b", "a.ts", 9],
    ["shape/odd", "a.ts", 10],
    ["shape/odd", "b.ts", 1],
  ]);
});

test.each([
  ["atention_mask", "attention_mask"],
  ["Input_Ids", "input_ids"],
  ["input_isd", "input_ids"],
  ["logits", undefined],
])("%s means %s", (name, meant) => {
  expect(didYouMean(name, ["input_ids", "attention_mask"])).toBe(meant);
});
