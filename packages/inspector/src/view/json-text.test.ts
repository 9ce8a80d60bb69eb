import { expect, test } from "vitest";
import type { JsonSchema } from "../api.ts";
import { exampleText, jsonProblem, schemaText } from "./json-text.ts";

const item: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: "number" },
    size: { enum: ["s", "m"] },
    notes: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
  },
  required: ["name", "count", "notes"],
};
const items: JsonSchema = {
  type: "object",
  properties: { items: { type: "array", items: item } },
  required: ["items"],
};
const tree: JsonSchema = {
  $ref: "#/$defs/T1",
  $defs: {
    T1: {
      type: "object",
      properties: {
        value: { type: "number" },
        parts: { type: "array", items: { $ref: "#/$defs/T1" } },
        next: { $ref: "#/$defs/T1" },
      },
      required: ["value", "parts"],
    },
  },
};

test("the start value has the names of the type's properties, and matches it", () => {
  expect(JSON.parse(exampleText(item))).toEqual({ name: "", count: 0, size: "s", notes: [""] });
  expect(JSON.parse(exampleText(tree))).toEqual({ value: 0, parts: [] });
  for (const schema of [item, items, tree]) expect(jsonProblem(exampleText(schema), schema)).toBeUndefined();
  expect(exampleText({})).toBe("{}");
});

test("a schema is shown as a TypeScript type", () => {
  expect(schemaText(item)).toBe(`{
  name: string;
  count: number;
  size?: "s" | "m";
  notes: (string | null)[];
}`);
  expect(schemaText(items)).toBe(`{
  items: {
    name: string;
    count: number;
    size?: "s" | "m";
    notes: (string | null)[];
  }[];
}`);
  expect(schemaText({ type: "array", items: { enum: ["a", "b"] } })).toBe('("a" | "b")[]');
  expect(schemaText({ type: "object", properties: { "a b": {} }, required: ["a b"] })).toBe(
    '{\n  "a b": unknown;\n}',
  );
  expect(schemaText(tree)).toBe("T1\ntype T1 = { value: number; parts: T1[]; next?: T1 }");
  expect(
    schemaText({ type: "object", additionalProperties: { prefixItems: [{ type: "number" }, item] } }),
  ).toMatch(/^Record<string, \[number, \{ name: string; /);
});

const pair: JsonSchema = { type: "array", prefixItems: [{ type: "number" }, { type: "null" }] };
test.each([
  ["", item, "the text is empty"],
  ["[]", item, "the value must be an object"],
  ['{"name": "a", "count": "1", "notes": []}', item, "count must be a number"],
  ['{"name": "a", "count": 1}', item, "notes is missing"],
  ['{"name": "a", "count": 1, "notes": ["a", 2]}', item, "notes[1] must be a string or null"],
  ['{"name": "a", "count": 1, "notes": [], "size": "l"}', item, 'size must be "s" or "m"'],
  ['{"items": [{"name": 1, "count": 1, "notes": []}]}', items, "items[0].name must be a string"],
  ['{"value": 1, "parts": [{"value": null, "parts": []}]}', tree, "parts[0].value must be a number"],
  ["[1]", pair, "the value must be an array of 2 elements"],
  ["[1, 2]", pair, "[1] must be null"],
  [
    '{"a b": 1}',
    { type: "object", additionalProperties: { type: "boolean" } },
    '["a b"] must be true or false',
  ],
] as const)("%s is refused", (text, schema, message) => {
  expect(jsonProblem(text, schema)).toBe(message);
});

test("a text that is not JSON is refused, with its place where the browser says it", () => {
  expect(jsonProblem('{\n"a": }', {})).toMatch(/^the text is not JSON(?: \(line 2 column \d\))?$/);
});

test("of a union, the option that matches furthest is reported", () => {
  const option = (kind: string, name: string): JsonSchema => ({
    type: "object",
    properties: { kind: { enum: [kind] }, [name]: { properties: { n: { type: "number" } }, type: "object" } },
    required: ["kind", name],
  });
  const union: JsonSchema = { anyOf: [option("a", "first"), option("b", "second"), { type: "null" }] };
  expect(jsonProblem('{"kind": "b", "second": {"n": "2"}}', union)).toBe("second.n must be a number");
  expect(jsonProblem('{"kind": "b", "second": {"n": 2}}', union)).toBeUndefined();
  expect(jsonProblem("1", union)).toContain("the value must be of type { kind: ");
});

test("a property named like a member that every object has is only known if the schema has it", () => {
  const any: JsonSchema = { type: "object", properties: {}, required: [] };
  expect(jsonProblem('{"constructor": 1, "__proto__": 2}', any)).toBeUndefined();
  expect(jsonProblem("{}", { ...any, required: ["toString"] })).toBe("toString is missing");
});

test("a value that is nested deeper than any model's is accepted instead of overflowing the stack", () => {
  const depth = 100_000;
  const list: JsonSchema = {
    $ref: "#/$defs/L",
    $defs: { L: { type: "array", items: { $ref: "#/$defs/L" } } },
  };
  expect(jsonProblem(`${"[".repeat(depth)}${"]".repeat(depth)}`, list)).toBeUndefined();
});
