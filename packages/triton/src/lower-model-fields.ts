import { didYouMean, dtypes, isDType, isObject } from "@tritype/core";
import {
  type FieldSchema,
  inOrder,
  isInRange,
  isInteger,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  type ValueSchema,
} from "./config-schema.ts";
import { lowerDuration } from "./duration.ts";
import type { ModelConfig } from "./generated/model-config.ts";

/** A field of the DSL that Triton does not have. */
export interface FieldProblem {
  /** The place, in the author's names: `dynamicBatching.maxQueueDelay`, `instanceGroup[0].kind`. */
  readonly path: string;
  readonly message: string;
}
export type LoweredModelFields = { readonly config: ModelConfig } | { readonly problem: FieldProblem };

/**
 * The DSL's fields translated mechanically to Triton's: `maxBatchSize` → `max_batch_size`; `kind: "cpu"` → `KIND_CPU`; a duration
 * `maxQueueDelay: "2ms"` → `max_queue_delay_microseconds: 2000`; `strategy: { direct: {} }` → `direct { }` (a member of the
 * oneof `strategy_choice`); a plain value in `parameters` → `{ string_value }`; numbers and booleans in string maps → text
 * without an exponent. Fields that are undefined are absent. The first mistake is returned as `problem`.
 */
export const lowerModelFields = (fields: object): LoweredModelFields => {
  try {
    return { config: lowerMessage(modelConfigSchema, fields, "") };
  } catch (error) {
    if (error instanceof Refusal) return { problem: { path: error.path, message: error.message } };
    throw error;
  }
};

class Refusal extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const refuse = (path: string, wants: string, got: unknown): never => {
  throw new Refusal(path, `${path || "the fields"} must be ${wants}, got ${show(got)}`);
};

const refuseName = (path: string, known: string, near: string | undefined): never => {
  throw new Refusal(path, `${path} is not ${known}${near === undefined ? "" : `; did you mean ${near}?`}`);
};

const show = (value: unknown): string => {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)) ??
    typeof value
  );
};

const lowerMessage = (schema: MessageSchema, given: unknown, path: string): object => {
  if (!isObject(given)) return refuse(path, "an object", given);
  const found = new Map<FieldSchema, unknown>();
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const [field, lowered] = lowerKey(schema, key, value, path ? `${path}.${key}` : key);
    const rival = [...found.keys()].find((other) => excludes(other, field));
    const at = path ? `${path}: ` : "";
    if (rival) throw new Refusal(path, `${at}${camelCase(rival.name)} and ${key} are mutually exclusive`);
    found.set(field, lowered);
  }
  return inOrder(schema, found);
};

const excludes = (a: FieldSchema, b: FieldSchema): boolean =>
  a.name === b.name || (a.oneof !== undefined && a.oneof === b.oneof);

type Lowered = readonly [field: FieldSchema, value: unknown];

const lowerKey = (schema: MessageSchema, key: string, value: unknown, path: string): Lowered => {
  const name = snakeCase(key);
  const field = schema.fields.get(name);
  if (field) return [field, lowerField(field, value, path)];
  const timed = schema.fields.get(name + microseconds);
  if (timed) return [timed, lowerDuration(value) ?? refuse(path, durations, value)];
  const members = [...schema.fields.values()].filter((member) => member.oneof === `${name}_choice`);
  if (members.length > 0) return lowerChoice(members, value, path);
  return refuseName(path, `a field of ${schema.name}`, nearestPath(schema, key));
};

/** A field with a similar name, or one level deeper; otherwise the one whose name ends in the given words: `executionAccelerators`. */
const nearestPath = (schema: MessageSchema, key: string): string | undefined => {
  const own = keysOf(schema);
  const below = [...schema.fields.values()].flatMap(({ name, value }) =>
    value.kind === "message"
      ? keysOf(value.message).map((inner) => [inner, `${camelCase(name)}.${inner}`] as const)
      : [],
  );
  const deeper = (inner: string | undefined): string | undefined =>
    below.find(([name]) => name === inner)?.[1];
  const end = key.charAt(0).toUpperCase() + key.slice(1);
  const longer = (names: readonly string[]): string | undefined =>
    key.length < 4 ? undefined : names.find((name) => name.endsWith(end));
  const names = below.map(([name]) => name);
  return didYouMean(key, own) ?? longer(own) ?? deeper(didYouMean(key, names) ?? longer(names));
};

const durations = 'a duration in whole microseconds such as "2ms", "500us" or "1s"';
const microseconds = "_microseconds";

const keysOf = (schema: MessageSchema): string[] =>
  [...schema.fields.values()].flatMap(({ name, oneof }) => [
    optionName(name),
    ...(oneof === undefined ? [] : [camelCase(oneof.replace(/_choice$/, ""))]),
  ]);

const lowerChoice = (members: readonly FieldSchema[], value: unknown, path: string): Lowered => {
  const names = members.map((member) => camelCase(member.name));
  const wants = `one of ${names.map((name) => `{ ${name} }`).join(", ")}`;
  const given = isObject(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
  const [only] = given;
  if (given.length !== 1 || !only) return refuse(path, wants, value);
  const [key, chosen] = only;
  const at = `${path}.${key}`;
  const member = members.find(({ name }) => name === snakeCase(key));
  if (!member) return refuseName(at, `one of ${names.join(", ")}`, didYouMean(key, names));
  return [member, lowerField(member, chosen, at)];
};

const lowerField = (field: FieldSchema, value: unknown, path: string): unknown => {
  if (field.shape === "single") return lowerValue(field.value, value, path);
  if (field.shape === "list") {
    const items: readonly unknown[] = Array.isArray(value) ? value : refuse(path, "a list", value);
    return items.map((item, i) => lowerValue(field.value, item, `${path}[${i}]`));
  }
  const entries = isObject(value) ? Object.entries(value) : refuse(path, "an object", value);
  const given = entries.filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    given.map(([key, item]) => [
      lowerMapKey(field, key, path),
      lowerMapValue(field.value, item, `${path}.${key}`),
    ]),
  );
};

const lowerMapKey = (field: FieldSchema, key: string, path: string): string => {
  const scalar = field.keyScalar ?? "string";
  if (scalar === "string" || (key.trim() !== "" && isInRange(scalar, Number(key)))) return key;
  return refuse(`${path}.${key}`, "under a key that is a whole number", key);
};

const lowerMapValue = (schema: ValueSchema, value: unknown, path: string): unknown => {
  if (schema.kind === "scalar" && schema.scalar === "string") return lowerText(value, path);
  // `ModelParameter`: a message for one string.
  if (schema.kind === "message" && schema.message.fields.has("string_value") && !isObject(value)) {
    return { string_value: lowerText(value, path) };
  }
  return lowerValue(schema, value, path);
};

const lowerText = (value: unknown, path: string): string => {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "number" && Number.isFinite(value)
    ? plainNumber(value)
    : refuse(path, "a string, a finite number or a boolean", value);
};

/** Digits only, no exponent. */
const plainNumber = (value: number): string => {
  if (Number.isInteger(value)) return String(BigInt(value));
  const text = String(value);
  const [, digits = "", exponent = ""] = /^-?([\d.]+)e-(\d+)$/.exec(text) ?? [];
  if (exponent === "") return text;
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(exponent) - 1)}${digits.replace(".", "")}`;
};

const lowerValue = (schema: ValueSchema, value: unknown, path: string): unknown => {
  if (schema.kind === "message") return lowerMessage(schema.message, value, path);
  return schema.kind === "enum"
    ? lowerEnum(schema.numbers, value, path)
    : lowerScalar(schema.scalar, value, path);
};

const lowerScalar = (scalar: Scalar, value: unknown, path: string): unknown => {
  if (scalar === "bool") return typeof value === "boolean" ? value : refuse(path, "true or false", value);
  if (scalar === "string") return typeof value === "string" ? value : refuse(path, "a string", value);
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number") return refuse(path, "a number", value);
  if (isInteger(scalar) && !isInRange(scalar, number))
    return refuse(path, `a whole number that fits ${scalar}`, value);
  return number;
};

/** Accepts `cpu` for `KIND_CPU`, `max` for `PRIORITY_MAX`, and for data types also the protocol's names. */
const lowerEnum = (numbers: ReadonlyMap<string, number>, value: unknown, path: string): string => {
  const identifiers = [...numbers.keys()];
  const prefix = commonPrefix(identifiers);
  const wanted = typeof value === "string" ? snakeCase(value).toUpperCase() : undefined;
  const dtype = typeof value === "string" && isDType(value) ? dtypes[value].configName : undefined;
  const found = identifiers.find(
    (identifier) =>
      identifier === value || identifier === dtype || identifier.slice(prefix.length) === wanted,
  );
  if (found !== undefined) return found;
  const choices = identifiers.map((identifier) => `"${identifier.slice(prefix.length).toLowerCase()}"`);
  return refuse(path, `one of ${choices.join(", ")}`, value);
};

/** `KIND_` of `KIND_CPU` and `KIND_GPU`, which pipelines leave out. */
export const commonPrefix = (identifiers: readonly string[]): string => {
  const [first = "", ...others] = identifiers;
  const words = first.split("_");
  for (let count = words.length - 1; count > 0; count--) {
    const prefix = `${words.slice(0, others.length > 0 ? count : 1).join("_")}_`;
    if (identifiers.every((identifier) => identifier.startsWith(prefix))) return prefix;
  }
  return "";
};

/** Words start at capitals: `fp32FalseTrue`, but `int32` and `FP32` are one word. */
const snakeCase = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The option for a field of Triton's: `max_queue_delay_microseconds` → `maxQueueDelay`. */
export const optionName = (field: string): string =>
  camelCase(field.endsWith(microseconds) ? field.slice(0, -microseconds.length) : field);
