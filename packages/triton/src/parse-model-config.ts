import { invariant } from "@tritype/core";
import textformat from "protobufjs/ext/textformat.js";
import {
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  scalarDefault,
  valueDefault,
  type ValueSchema,
} from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";
import { findFault, withoutOverwritten } from "./locate-fields.ts";
import { quoteText } from "./quote-text.ts";
import { findStringFault, type StringFault, withPlainEscapes } from "./scan-text.ts";
import { messageTextType } from "./text-schema.ts";

/** Why a text is no ModelConfig. */
export interface ConfigProblem {
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units; absent where nothing tells more than the line. */
  readonly column?: number;
}
export type ParsedModelConfig = { readonly config: ModelConfig } | { readonly problem: ConfigProblem };

/**
 * Reads the text of a `config.pbtxt` as Triton does: what its text parser refuses is a problem, with the line; what it
 * accepts, however odd, is a config; of strings that are no UTF-8 the wrong bytes are U+FFFD. The config holds the fields that the text gives, defaults are not added, and empty lists
 * and maps are left out. A number that names no identifier of an enum (`data_type: 99` loads in Triton) stays a number.
 */
export const parseModelConfig = (text: string): ParsedModelConfig => {
  const inString = findStringFault(text);
  const read = readGrammar(text);
  if (inString === undefined) return read;
  return "problem" in read && isBefore(read.problem, inString) ? read : { problem: inString };
};

const isBefore = ({ line = 0, column }: ConfigProblem, fault: StringFault): boolean =>
  line < fault.line || (line === fault.line && column !== undefined && column < fault.column);

const readGrammar = (text: string): ParsedModelConfig => {
  const first = readText(text);
  if ("config" in first) return first;
  const rest = withoutOverwritten(text);
  const read = rest === text ? first : readText(rest);
  if ("config" in read) return read;
  const { message, line } = read.problem;
  const fault = findFault(text);
  if (line === undefined) return { problem: { message, ...(fault ?? { line: firstLineOf(message, rest) }) } };
  return { problem: { message, line, ...(fault?.line === line ? { column: fault.column } : {}) } };
};

const readText = (text: string): ParsedModelConfig => readMessageText(text, modelConfigSchema);

/** Reads the fields of a message of the configuration. What is wrong in strings is not seen. */
export const readMessageText = (text: string, schema: MessageSchema): ParsedModelConfig => {
  try {
    const plain = withPlainEscapes(text, quoteText);
    return { config: plainMessage(schema, textformat.fromText(messageTextType(schema.name), plain)) };
  } catch (error) {
    const [, raw = "", line] = /^(.*?)(?: \(line (\d+)\))?$/s.exec((error as Error).message) ?? [];
    const message = raw.replace(/^\.?inference\.(\S+: )/, "$1");
    return { problem: line === undefined ? { message } : { message, line: Number(line) } };
  }
};

/** The parser stops at the first fault, so the shortest head of the text that fails alike ends with the faulty line. */
const firstLineOf = (message: string, text: string): number => {
  const lines = text.split("\n");
  let [low, high] = [1, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const head = readText(lines.slice(0, middle).join("\n"));
    if ("problem" in head && head.problem.message === message) high = middle;
    else low = middle + 1;
  }
  return low;
};

const plainMessage = (schema: MessageSchema, message: object): object => {
  const entries: [string, unknown][] = [];
  for (const field of schema.fields.values()) {
    if (!Object.hasOwn(message, field.name)) continue;
    const plain = plainField(field, (message as Readonly<Record<string, unknown>>)[field.name]);
    if (plain !== undefined) entries.push([field.name, plain]);
  }
  return Object.fromEntries(entries);
};

const plainField = (field: FieldSchema, value: unknown): unknown => {
  if (field.shape === "single") return plainValue(field.value, value);
  const items = value as readonly unknown[];
  if (items.length === 0) return undefined;
  return field.shape === "list"
    ? items.map((item) => plainValue(field.value, item))
    : plainMap(field, items as readonly Entry[]);
};

interface Entry {
  readonly key?: unknown;
  readonly value?: unknown;
}

/** Of entries with the same key the last counts; an absent key or value is its default. */
const plainMap = (field: FieldSchema, entries: readonly Entry[]): object => {
  const [noKey, noValue] = [scalarDefault(field.keyScalar ?? "string"), valueDefault(field.value)];
  return Object.fromEntries(
    entries.map(({ key = noKey, value = noValue }) => [String(key), plainValue(field.value, value)]),
  );
};

const plainValue = (schema: ValueSchema, value: unknown): unknown => {
  if (schema.kind === "message") {
    invariant(typeof value === "object" && value !== null, "a message field holds a message");
    return plainMessage(schema.message, value);
  }
  if (schema.kind === "enum") return enumName(schema, value);
  return typeof value === "object" ? Number(value) : value;
};

const enumName = (schema: ValueSchema & { readonly kind: "enum" }, value: unknown): unknown => {
  for (const [name, number] of schema.numbers) if (number === value) return name;
  // protobufjs finds `toString` and its like in every enum.
  if (typeof value !== "number") throw new TypeError(`${schema.name}: enum value expected`);
  return value;
};
