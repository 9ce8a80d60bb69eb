import { didYouMean, isObject } from "@tritype/core";
import {
  defaultOf,
  type FieldSchema,
  inOrder,
  integerOf,
  isInRange,
  isInteger,
  type MessageSchema,
  modelConfigSchema,
  type ValueSchema,
} from "./config-schema.ts";
import type { ParsedModelConfig } from "./parse-model-config.ts";

/**
 * Reads a config from JSON, such as the answer of `/v2/models/<name>/config` or the `config` override of a load
 * request: names as in the proto or in camelCase, enums by name in any case or by number, 64-bit integers as numbers or
 * strings. Defaults are left out again, so that reading the output of `modelConfigToJson` gives the config without
 * them.
 */
export const modelConfigFromJson = (json: unknown): ParsedModelConfig => {
  try {
    return { config: messageFromJson(modelConfigSchema, json, "") };
  } catch (error) {
    if (error instanceof JsonProblem) return { problem: { message: error.message } };
    throw error;
  }
};

class JsonProblem extends Error {}

const fail = (path: string, wants: string): never => {
  throw new JsonProblem(`${path || "the config"} must be ${wants}`);
};

const messageFromJson = (schema: MessageSchema, json: unknown, path: string): object => {
  if (!isObject(json)) return fail(path, "an object");
  const found = new Map<FieldSchema, unknown>();
  for (const [key, value] of Object.entries(json)) {
    const field = schema.fields.get(key) ?? schema.fields.get(snakeCase(key));
    const at = path ? `${path}.${key}` : key;
    if (field === undefined) throw new JsonProblem(unknownField(schema, key, at));
    if (value === null) continue;
    const read = fieldFromJson(field, value, at);
    if (found.has(field)) throw new JsonProblem(`${at} is given twice`);
    if (read !== undefined) found.set(field, read);
  }
  checkOneofs([...found.keys()], path);
  return inOrder(schema, found);
};

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const unknownField = (schema: MessageSchema, key: string, path: string): string => {
  const near = didYouMean(key, [...schema.fields.keys()]);
  return `${path} is not a field of ${schema.name}${near === undefined ? "" : `; did you mean ${near}?`}`;
};

const checkOneofs = (fields: readonly FieldSchema[], path: string): void => {
  const members = new Map<string, string>();
  for (const { name, oneof } of fields) {
    if (oneof === undefined) continue;
    const other = members.get(oneof);
    if (other !== undefined)
      throw new JsonProblem(`${path ? `${path}: ` : ""}${other} and ${name} are mutually exclusive`);
    members.set(oneof, name);
  }
};

const fieldFromJson = (field: FieldSchema, json: unknown, path: string): unknown => {
  if (field.shape === "list") {
    const items = Array.isArray(json) ? json : fail(path, "a list");
    return items.length > 0 ? items.map((item, i) => valueFromJson(field, item, `${path}[${i}]`)) : undefined;
  }
  if (field.shape === "map") {
    const entries = Object.entries(isObject(json) ? json : fail(path, "an object"));
    if (entries.length === 0) return undefined;
    return Object.fromEntries(
      entries.map(([key, item]) => [key, valueFromJson(field, item, `${path}.${key}`)]),
    );
  }
  const value = valueFromJson(field, json, path);
  return field.oneof === undefined && value === defaultOf(field) ? undefined : value;
};

const valueFromJson = ({ name, value: schema }: FieldSchema, json: unknown, path: string): unknown => {
  if (schema.kind === "message") return messageFromJson(schema.message, json, path);
  if (schema.kind === "enum") return enumFromJson(schema, json, path);
  if (schema.scalar === "bool") return typeof json === "boolean" ? json : fail(path, "true or false");
  if (schema.scalar === "string") return typeof json === "string" ? json : fail(path, "a string");
  const isNumber = typeof json === "bigint" || (typeof json === "string" && json.trim() !== "");
  const number = isNumber ? Number(json) : json;
  if (typeof number !== "number") return fail(path, "a number");
  if (!isInteger(schema.scalar)) return number;
  if (!isInRange(schema.scalar, number)) return fail(path, `an ${schema.scalar}`);
  return isNumber && /^-?\d+$/.test(String(json)) ? integerOf(name, BigInt(json)) : number;
};

const enumFromJson = (
  schema: ValueSchema & { readonly kind: "enum" },
  json: unknown,
  path: string,
): unknown => {
  for (const [name, number] of schema.numbers) {
    if (json === number || (typeof json === "string" && json.toUpperCase() === name)) return name;
  }
  return Number.isInteger(json) ? json : fail(path, `one of ${[...schema.numbers.keys()].join(", ")}`);
};
