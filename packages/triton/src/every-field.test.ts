import { expect, it } from "vitest";
import {
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  type ValueSchema,
} from "./config-schema.ts";
import { locateFields } from "./locate-fields.ts";
import { lowerModelFields } from "./lower-model-fields.ts";
import { modelConfigFromJson } from "./model-config-from-json.ts";
import { modelConfigToJson } from "./model-config-to-json.ts";
import { parseModelConfig } from "./parse-model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

type Path = readonly FieldSchema[];

/** Every field in the descriptor, with the path of fields that leads to it. */
function* paths(schema: MessageSchema, above: Path): Generator<Path> {
  for (const field of schema.fields.values()) {
    const path = [...above, field];
    yield path;
    if (field.value.kind === "message") yield* paths(field.value.message, path);
  }
}

/** A value that is not the default. */
const sample = (schema: ValueSchema): unknown => {
  if (schema.kind === "message") return {};
  if (schema.kind === "enum") return [...schema.numbers.keys()].at(-1);
  return schema.scalar === "string" ? "text" : schema.scalar === "bool" ? true : 1;
};

const mapKey = (field: FieldSchema) => (field.keyScalar === "string" ? "key" : "7");

const wrap = (field: FieldSchema, value: unknown): object => ({
  [field.name]: field.shape === "list" ? [value] : field.shape === "map" ? { [mapKey(field)]: value } : value,
});

const configWith = (path: Path): object => {
  const last = path.at(-1) as FieldSchema;
  return path
    .slice(0, -1)
    .reduceRight<object>((inner, field) => wrap(field, inner), wrap(last, sample(last.value)));
};

const camelCase = (name: string) =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const raise = (schema: MessageSchema, message: object): object =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]: [string, unknown]) => {
      const field = schema.fields.get(name) as FieldSchema;
      const { value: inner } = field;
      if (inner.kind !== "message") return [camelCase(name), value];
      const one = (item: unknown) => raise(inner.message, item as object);
      if (field.shape === "single") return [camelCase(name), one(value)];
      if (field.shape === "list") return [camelCase(name), (value as unknown[]).map(one)];
      const entries = Object.entries(value as object).map(([key, item]) => [key, one(item)]);
      return [camelCase(name), Object.fromEntries(entries)];
    }),
  );

const all = [...paths(modelConfigSchema, [])];

it("the descriptor contains every message", () => {
  expect(all.length).toBeGreaterThan(150);
});

it.each(all.map((path) => [path.map(({ name }) => name).join("."), path] as const))(
  "%s is known to the reader, the printer, JSON and the DSL",
  (_, path) => {
    const config = configWith(path);
    const text = printModelConfig(config);
    expect(parseModelConfig(text)).toEqual({ config });
    const json = modelConfigToJson(config);
    expect(JSON.stringify(json)).toContain(`"${path.at(-1)?.name}":`);
    // The only identifier of an enum is its default, which JSON may omit.
    const { name, shape, value } = path.at(-1) as FieldSchema;
    const kept = value.kind !== "enum" || value.numbers.size > 1;
    expect(modelConfigFromJson(json)).toMatchObject(kept ? { config } : { config: {} });
    expect(lowerModelFields(raise(modelConfigSchema, config))).toEqual({ config });
    const place = path.flatMap((field) => {
      const key = field.shape === "list" ? [0] : field.shape === "map" ? [mapKey(field)] : [];
      return [field.name, ...key];
    });
    const { line, column } = locateFields(text)(place) ?? { line: 0, column: 0 };
    const rest = text.split("\n")[line - 1]?.slice(column - 1) ?? "";
    const item = value.kind === "message" ? "{" : JSON.stringify(sample(value));
    expect(rest.split(/[ :]/)[0]).toBe(shape === "list" ? item : name);
  },
);
