import {
  type FieldSchema,
  isInteger,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  type ValueSchema,
} from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";

/** The order in which an expert writes a config: what it is, its inputs and outputs, how it runs. */
const modelConfigOrder = [
  "name",
  "platform",
  "backend",
  "runtime",
  "default_model_filename",
  "cc_model_filenames",
  "max_batch_size",
  "input",
  "output",
  "batch_input",
  "batch_output",
  "instance_group",
  "dynamic_batching",
  "sequence_batching",
  "ensemble_scheduling",
  "optimization",
  "version_policy",
  "response_cache",
  "model_transaction_policy",
  "model_operations",
  "parameters",
  "metric_tags",
  "model_metrics",
  "model_repository_agents",
  "model_warmup",
];
/** The maximum length of a message on one line. */
const lineWidth = 100;

/**
 * The text of a `config.pbtxt`: equal configs give equal text, maps are sorted by key, and every field that is present
 * is printed, including messages without fields (`dynamic_batching { }` enables batching). Reading it back gives the
 * config.
 */
export const printModelConfig = (config: ModelConfig): string => printMessage(modelConfigSchema, config, "");

type Fields = Readonly<Record<string, unknown>>;

const printMessage = (schema: MessageSchema, message: object, indent: string): string =>
  present(schema, message)
    .map(([field, value]) => printField(field, value, indent))
    .join("");

const present = (schema: MessageSchema, message: object): (readonly [FieldSchema, unknown])[] => {
  const names = schema === modelConfigSchema ? modelConfigOrder : [...schema.fields.keys()];
  return names.flatMap((name) => {
    const [field, value] = [schema.fields.get(name), (message as Fields)[name]];
    return field === undefined || value === undefined || isEmpty(field, value)
      ? []
      : [[field, value] as const];
  });
};

const isEmpty = (field: FieldSchema, value: unknown): boolean =>
  field.shape === "list"
    ? (value as readonly unknown[]).length === 0
    : field.shape === "map" && Object.keys(value as object).length === 0;

const printField = (field: FieldSchema, value: unknown, indent: string): string => {
  if (field.shape === "map") return printMap(field, value as Fields, indent);
  if (field.shape === "list" && field.value.kind === "message") {
    return printItems(field.name, field.value.message, value as readonly object[], indent);
  }
  const line = inlineField(field, value);
  if (line !== undefined && indent.length + line.length <= lineWidth) return `${indent}${line}\n`;
  if (field.value.kind === "message") {
    return `${indent}${field.name} {\n${printMessage(field.value.message, value as object, `${indent}  `)}${indent}}\n`;
  }
  const items = (field.shape === "list" ? (value as readonly unknown[]) : [value]).map((item) =>
    printValue(field.value, item),
  );
  if (field.shape === "single") return `${indent}${field.name}: ${items[0]}\n`;
  return `${indent}${field.name}: [\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]\n`;
};

const printItems = (
  name: string,
  schema: MessageSchema,
  items: readonly object[],
  indent: string,
): string => {
  const bodies = items.map(
    (item) => `${indent}  {\n${printMessage(schema, item, `${indent}    `)}${indent}  }`,
  );
  return `${indent}${name} [\n${bodies.join(",\n")}\n${indent}]\n`;
};

const printMap = (field: FieldSchema, map: Fields, indent: string): string =>
  sortedKeys(field, map)
    .map((text) => {
      const key = `key: ${field.keyScalar === "string" ? quoteText(text) : text}`;
      const line = inlineValue("value", field.value, map[text]);
      const whole = line === undefined ? undefined : `${indent}${field.name} { ${key} ${line} }\n`;
      if (whole !== undefined && whole.length <= lineWidth) return whole;
      const inner = `${indent}  `;
      const value = printField({ ...field, name: "value", shape: "single" }, map[text], inner);
      return `${indent}${field.name} {\n${inner}${key}\n${value}${indent}}\n`;
    })
    .join("");

const sortedKeys = (field: FieldSchema, map: Fields): string[] =>
  field.keyScalar === "string"
    ? Object.keys(map).toSorted()
    : Object.keys(map).toSorted((a, b) => Number(BigInt(a) - BigInt(b)));

/** The field on one line, if there is at most one item at every depth. */
const inlineField = (field: FieldSchema, value: unknown): string | undefined => {
  if (field.shape === "map" || (field.shape === "list" && field.value.kind === "message")) return undefined;
  if (field.shape === "single") return inlineValue(field.name, field.value, value);
  return `${field.name}: [ ${(value as readonly unknown[]).map((item) => printValue(field.value, item)).join(", ")} ]`;
};

const inlineValue = (name: string, schema: ValueSchema, value: unknown): string | undefined => {
  if (schema.kind !== "message") return `${name}: ${printValue(schema, value)}`;
  const fields = present(schema.message, value as object);
  const [first] = fields;
  if (first === undefined) return `${name} { }`;
  const inner = fields.length === 1 ? inlineField(...first) : undefined;
  return inner === undefined ? undefined : `${name} { ${inner} }`;
};

const printValue = (schema: ValueSchema, value: unknown): string => {
  if (schema.kind !== "scalar" || schema.scalar === "bool") return String(value);
  if (schema.scalar === "string") return quoteText(String(value));
  return isInteger(schema.scalar)
    ? printInteger(schema.scalar, value as number)
    : printFloat(value as number);
};

/** No exponent; 2^63 as a number represents the largest 64-bit integer, which a number cannot represent exactly. */
const printInteger = (scalar: Scalar, value: number): string => {
  const largest = scalar === "int64" ? 2n ** 63n - 1n : scalar === "uint64" ? 2n ** 64n - 1n : undefined;
  const whole = BigInt(value);
  return String(largest !== undefined && whole > largest ? largest : whole);
};

const printFloat = (value: number): string => {
  if (Object.is(value, -0)) return "-0";
  return Number.isNaN(value) ? "nan" : String(value).replace("Infinity", "inf");
};

/** UTF-8 stays readable; control characters become escapes, with three octal digits if there is no letter. */
const quoteText = (text: string): string => {
  // oxlint-disable-next-line no-control-regex
  const escaped = text.replaceAll(/["\\\u0000-\u001f\u007f]/g, (char) => escapes[char] ?? octal(char));
  return `"${escaped}"`;
};

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
