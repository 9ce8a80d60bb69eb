import { expect, test } from "vitest";
import { jsonSchemaOf } from "./json-schema.ts";

test("records, lists, unions and texts with known values", () => {
  expect(
    jsonSchemaOf({
      shape: {
        kind: "record",
        properties: [
          {
            name: "kind",
            shape: {
              kind: "union",
              of: [
                { kind: "literal", value: "a" },
                { kind: "literal", value: "b" },
              ],
            },
          },
          { name: "pair", shape: { kind: "tuple", items: [{ kind: "number" }, { kind: "string" }] } },
          { name: "counts", shape: { kind: "dictionary", values: { kind: "number" } } },
          { name: "note", shape: { kind: "union", of: [{ kind: "string" }, { kind: "undefined" }] } },
          { name: "on", shape: { kind: "boolean" }, optional: true },
          {
            name: "more",
            shape: {
              kind: "union",
              of: [{ kind: "array", items: { kind: "literal", value: 1 } }, { kind: "null" }],
            },
          },
        ],
      },
      named: {},
    }),
  ).toEqual({
    type: "object",
    properties: {
      kind: { enum: ["a", "b"] },
      pair: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "string" }],
        minItems: 2,
        maxItems: 2,
      },
      counts: { type: "object", additionalProperties: { type: "number" } },
      note: { type: "string" },
      on: { type: "boolean" },
      more: { anyOf: [{ type: "array", items: { enum: [1] } }, { type: "null" }] },
    },
    required: ["kind", "pair", "counts", "more"],
  });
});

test("a recursive type becomes a definition", () => {
  const node = {
    kind: "record",
    properties: [{ name: "next", shape: { kind: "named", name: "T1" }, optional: true }],
  } as const;
  expect(jsonSchemaOf({ shape: { kind: "named", name: "T1" }, named: { T1: node } })).toEqual({
    $ref: "#/$defs/T1",
    $defs: { T1: { type: "object", properties: { next: { $ref: "#/$defs/T1" } }, required: [] } },
  });
});
