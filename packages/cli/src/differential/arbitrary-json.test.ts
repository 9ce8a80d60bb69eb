import type { JsonShape, Shape } from "@tritype/translator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryJson } from "./arbitrary-json.ts";

const literals = { texts: ["kind"], numbers: [7] };
const sample = (
  shape: Shape,
  named: JsonShape["named"] = {},
  seen: readonly string[] = [],
): readonly string[] =>
  fc.sample(arbitraryJson({ shape: { shape, named }, seen }, literals), { numRuns: 300, seed: 1 });
const parsed = (texts: readonly string[]): readonly unknown[] =>
  texts.flatMap((text): unknown[] => {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      return [];
    }
  });

test("most values have the declared type, even without samples", () => {
  const values = parsed(
    sample({
      kind: "record",
      properties: [
        { name: "a", shape: { kind: "number" } },
        { name: "kind", shape: { kind: "literal", value: "number" }, optional: true },
        {
          name: "list",
          shape: { kind: "array", items: { kind: "union", of: [{ kind: "string" }, { kind: "null" }] } },
        },
        { name: "pair", shape: { kind: "tuple", items: [{ kind: "boolean" }, { kind: "number" }] } },
        { name: "by", shape: { kind: "dictionary", values: { kind: "boolean" } } },
      ],
    }),
  );
  const fits = (value: unknown): boolean => {
    const of = value as {
      readonly a?: unknown;
      readonly list?: unknown;
      readonly pair?: readonly unknown[];
    } | null;
    return typeof of?.a === "number" && Array.isArray(of.list) && typeof of.pair?.[0] === "boolean";
  };
  expect(values.filter(fits).length).toBeGreaterThan(200);
  const kinds = new Set(values.filter(fits).map((value) => (value as { readonly kind?: unknown }).kind));
  expect(kinds).toEqual(new Set(["number", undefined]));
});

test("a recursive type terminates", () => {
  const node: Shape = {
    kind: "record",
    properties: [
      { name: "value", shape: { kind: "string" } },
      { name: "children", shape: { kind: "array", items: { kind: "named", name: "Node" } } },
      { name: "next", shape: { kind: "named", name: "Node" }, optional: true },
    ],
  };
  const texts = sample({ kind: "named", name: "Node" }, { Node: node });
  expect(texts.some((text) => /"children":\[\{.*"children":\[\{/.test(text))).toBe(true);
});

test("numbers are sometimes written as Python writes floats, and samples are kept unchanged", () => {
  const texts = sample({ kind: "array", items: { kind: "number" } }, {}, ["[41.5]"]);
  expect(texts.some((text) => /\d\.0[,\]]/.test(text))).toBe(true);
  expect(texts).toContain("[41.5]");
});
