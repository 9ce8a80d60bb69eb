import {
  defaultOf,
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  type ValueSchema,
} from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";
import { newFields } from "./new-fields.ts";
import { defaultRelease } from "./releases.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON of `/v2/models/<name>/config`: every field in the proto's order, absent scalars, lists and maps as their
 * defaults, absent messages and oneof members left out, enums by name, 64-bit integers as numbers, or as bigint beyond 2^53. Complete the config
 * first (`completeModelConfig`): this function only adds defaults. Absent fields newer than `container` are left out.
 */
export const modelConfigToJson = (
  config: ModelConfig,
  container: string = defaultRelease.container,
): JsonObject => messageToJson(modelConfigSchema, config, container);

/** Fields that stay strings: protobuf writes 64-bit integers as strings, and Triton converts only the others to numbers. */
const stringlyFields: ReadonlySet<string> = new Set([
  "ModelOptimizationPolicy.Cuda.GraphSpec.Shape.dim",
  "ModelSequenceBatching.InitialState.dims",
  "ModelInstanceGroup.SecondaryDevice.device_id",
]);

const messageToJson = (schema: MessageSchema, message: object, container: string): JsonObject => {
  const entries: [string, unknown][] = [];
  for (const field of schema.fields.values()) {
    const id = `${schema.name}.${field.name}`;
    const since = newFields.get(id) ?? container;
    const value = (message as JsonObject)[field.name] ?? (since <= container ? defaultOf(field) : undefined);
    if (value === undefined) continue;
    const one = (item: unknown) =>
      stringlyFields.has(id)
        ? String(valueToJson(field.value, item, container))
        : valueToJson(field.value, item, container);
    entries.push([field.name, shapeToJson(field, value, one)]);
  }
  return Object.fromEntries(entries);
};

const shapeToJson = (field: FieldSchema, value: unknown, one: (item: unknown) => unknown): unknown => {
  if (field.shape === "single") return one(value);
  if (field.shape === "list") return (value as readonly unknown[]).map(one);
  const entries = Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, one(item)]));
};

const valueToJson = (schema: ValueSchema, value: unknown, container: string): unknown => {
  if (schema.kind === "message") return messageToJson(schema.message, value as object, container);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (schema.kind === "scalar" && schema.scalar.endsWith("int64") && !Number.isSafeInteger(value))
    return exactInteger(schema.scalar, BigInt(value as number));
  return schema.kind === "scalar" && schema.scalar === "float" ? printedFloat(value as number) : value;
};

/** An integer beyond 2^53: all digits, and the largest one for 2^63 or 2^64, to which a number rounds it. */
const exactInteger = (scalar: Scalar, value: bigint): bigint => {
  const limit = 2n ** (scalar === "uint64" ? 64n : 63n);
  return value < limit ? value : limit - 1n;
};

/** A 32-bit float with six digits, or nine if six do not reproduce it: the format that protobuf prints. */
const printedFloat = (value: number): number | string => {
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return String(float);
  const short = Number(float.toPrecision(6));
  return Math.fround(short) === float ? short : Number(float.toPrecision(9));
};
