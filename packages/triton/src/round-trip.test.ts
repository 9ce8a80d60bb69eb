import { parseExactJson, printExactJson } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelConfigArbitrary } from "./config.arbitrary.ts";
import {
  defaultOf,
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  type ValueSchema,
} from "./config-schema.ts";
import { lowerModelFields } from "./lower-model-fields.ts";
import { modelConfigFromJson } from "./model-config-from-json.ts";
import { modelConfigToJson } from "./model-config-to-json.ts";
import { parseModelConfig } from "./parse-model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

const isDefault = (field: FieldSchema, value: unknown) =>
  field.oneof === undefined && Object.is(value, defaultOf(field));

const withoutDefaults = (schema: MessageSchema, message: object): object => {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(message)) {
    const field = schema.fields.get(name);
    if (field && !isDefault(field, value)) entries.push([name, mapField(field, value, withoutDefaults)]);
  }
  return Object.fromEntries(entries);
};

const mapField = (
  field: FieldSchema,
  value: unknown,
  map: (schema: MessageSchema, message: object) => object,
): unknown => {
  const one = (item: unknown) =>
    field.value.kind === "message" ? map(field.value.message, item as object) : item;
  if (field.shape === "list") return (value as readonly unknown[]).map(one);
  if (field.shape === "single") return one(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, one(item)]));
};

const camelCase = (name: string) =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The DSL's word for an enum identifier. */
const wordOf = (schema: ValueSchema, value: unknown): unknown =>
  schema.kind === "enum"
    ? String(value)
        .replace(/^(TYPE|KIND|FORMAT|PRIORITY|BATCH|CONTROL_SEQUENCE)_/, "")
        .toLowerCase()
    : value;

const raise = (schema: MessageSchema, message: object): object =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]) => {
      const field = schema.fields.get(name) as FieldSchema;
      if (name.endsWith("_microseconds") && (value as number) <= Number.MAX_SAFE_INTEGER) {
        return [camelCase(name.replace("_microseconds", "")), `${value}us`];
      }
      const raised = mapField(field, value, raise);
      if (field.oneof === "strategy_choice") return ["strategy", { [camelCase(name)]: raised }];
      return [camelCase(name), field.shape === "single" ? wordOf(field.value, raised) : raised];
    }),
  );

const sampleOf = (schema: ValueSchema): unknown => {
  if (schema.kind === "message") return {};
  if (schema.kind === "enum") return [...schema.numbers.keys()].at(-1);
  return schema.scalar === "string" ? "text" : schema.scalar === "bool" ? true : 3;
};

/** For every field at every depth, its path and the smallest config that contains it. */
function* everyField(schema: MessageSchema): Generator<readonly [path: string, config: object]> {
  for (const field of schema.fields.values()) {
    const held = (value: unknown) => ({
      [field.name]: field.shape === "list" ? [value] : field.shape === "map" ? { "7": value } : value,
    });
    yield [field.name, held(sampleOf(field.value))];
    if (field.value.kind !== "message") continue;
    for (const [path, inner] of everyField(field.value.message)) yield [`${field.name}.${path}`, held(inner)];
  }
}

it.each([...everyField(modelConfigSchema)])(
  "%s is printed, parsed and produced from the DSL's fields",
  (_, config) => {
    expect(parseModelConfig(printModelConfig(config))).toEqual({ config });
    expect(lowerModelFields(raise(modelConfigSchema, config))).toEqual({ config });
  },
);

describe("a config that the proto allows", () => {
  it("a config is the same after printing and parsing", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, (config) => {
        expect(parseModelConfig(printModelConfig(config))).toStrictEqual({ config });
      }),
      { numRuns: 400 },
    );
  });

  it("a config prints the same for any order of its keys", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, (config) => {
        const reversed = (message: object): object =>
          Object.fromEntries(Object.entries(message).toReversed());
        expect(printModelConfig(reversed(config))).toBe(printModelConfig(config));
      }),
    );
  });

  it("a config is the same after a round trip through JSON, without its defaults", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, (config) => {
        const json = parseExactJson(printExactJson(modelConfigToJson(config)));
        expect(modelConfigFromJson(json)).toEqual({ config: withoutDefaults(modelConfigSchema, config) });
      }),
      { numRuns: 300 },
    );
  });

  it("a config is produced from the DSL's fields", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, (config) => {
        const fields = raise(modelConfigSchema, config);
        expect(lowerModelFields(fields)).toEqual({ config });
      }),
      { numRuns: 300 },
    );
  });
});
