import {
  type FieldSchema,
  isInRange,
  isInteger,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  scalarDefault,
  type ValueSchema,
} from "./config-schema.ts";
import { TextScanner, type Token, unquote } from "./scan-text.ts";

/** Keys and indexes from the config down to a field: `["input", 0, "dims", 1]`; map entries by key. */
export type FieldPath = readonly (string | number)[];

/** Line and column count from 1, columns in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a field is written; undefined when it is not. `[]` is the first character of the text. */
export type FieldLocator = (path: FieldPath) => TextPosition | undefined;

/**
 * Finds fields in a config's text. A field is where its name is; an item of a list in brackets is where its value begins, an
 * item given as a field of its own (`dims: 2 dims: 3`) where the value of that field is for scalars and where the name is for
 * messages; an entry of a map likewise, the last one of those with the same key. Of a text that does not parse, what stands
 * before the fault is found. Takes time and memory in proportion to the text, at the first question.
 */
export const locateFields = (text: string): FieldLocator => {
  let root: Place | undefined;
  return (path) => {
    root ??= readPlaces(text).root;
    let place: Place | undefined = root;
    for (const key of path) place = place?.inner?.get(key);
    return place && { line: place.line, column: place.column };
  };
};

interface Place extends TextPosition {
  inner: Map<string | number, Place> | undefined;
}

const placeAt = ({ line, column }: TextPosition): Place => ({ line, column, inner: undefined });

const innerOf = (place: Place): Map<string | number, Place> => {
  place.inner ??= new Map();
  return place.inner;
};

/** Where a text stops to be a config, as far as its grammar, its names and its numbers tell; undefined when they do not. */
export const findFault = (text: string): TextPosition | undefined => readPlaces(text).fault;

class Fault extends Error {
  readonly token: Token;
  constructor(token: Token) {
    super();
    this.token = token;
  }
}

const readPlaces = (text: string): { readonly root: Place; readonly fault: TextPosition | undefined } => {
  const root = placeAt({ line: 1, column: 1 });
  try {
    readMessage(new TextScanner(text), modelConfigSchema, root, "");
    return { root, fault: undefined };
  } catch (error) {
    if (error instanceof Fault)
      return { root, fault: { line: error.token.line, column: error.token.column } };
    throw error;
  }
};

/** Reads fields up to a closing brace, or to the end of the text. */
const readMessage = (scanner: TextScanner, schema: MessageSchema, place: Place, close: string): void => {
  for (;;) {
    const name = scanner.take();
    if (name.text === close) return;
    const field = name.kind === "word" ? schema.fields.get(name.text) : undefined;
    if (field === undefined) throw new Fault(name);
    readField(scanner, field, place, name);
    skipSeparator(scanner);
  }
};

const skipSeparator = (scanner: TextScanner): void => {
  if (!scanner.skip(",")) scanner.skip(";");
};

/** Optional before messages only. */
const skipColon = (scanner: TextScanner, { shape, value }: FieldSchema): void => {
  if (!scanner.skip(":") && shape !== "map" && value.kind !== "message") throw new Fault(scanner.peek());
};

/** No field has such a name. */
const oneofKey = (name: string): string => `oneof ${name}`;

const readField = (scanner: TextScanner, field: FieldSchema, parent: Place, name: Token): void => {
  const siblings = innerOf(parent);
  if (field.shape === "single" && siblings.has(field.name)) throw new Fault(name);
  if (field.oneof !== undefined && siblings.has(oneofKey(field.oneof))) throw new Fault(name);
  if (field.oneof !== undefined) siblings.set(oneofKey(field.oneof), placeAt(name));
  const place = siblings.get(field.name) ?? placeAt(name);
  siblings.set(field.name, place);
  skipColon(scanner, field);
  if (!scanner.skip("[")) return readItem(scanner, field, place, name);
  if (scanner.skip("]")) return;
  do readItem(scanner, field, place, scanner.peek());
  while (scanner.skip(","));
  if (!scanner.skip("]")) throw new Fault(scanner.peek());
};

const readItem = (scanner: TextScanner, field: FieldSchema, list: Place, start: Token): void => {
  if (field.shape === "map") return readEntry(scanner, field, list, start);
  const item =
    field.shape === "single" ? list : placeAt(field.value.kind === "message" ? start : scanner.peek());
  if (field.shape === "list") innerOf(list).set(list.inner?.size ?? 0, item);
  readValue(scanner, field, item);
};

const readValue = (scanner: TextScanner, { value }: FieldSchema, place: Place): void => {
  if (value.kind === "message") readMessage(scanner, value.message, place, openBrace(scanner));
  else readScalar(scanner, value);
};

const openBrace = (scanner: TextScanner): string => {
  if (scanner.skip("{")) return "}";
  if (scanner.skip("<")) return ">";
  throw new Fault(scanner.peek());
};

const readEntry = (scanner: TextScanner, field: FieldSchema, map: Place, start: Token): void => {
  const entry = placeAt(start);
  const close = openBrace(scanner);
  const keySchema = { kind: "scalar", scalar: field.keyScalar ?? "string" } as const;
  let [key, keys, values] = [String(scalarDefault(keySchema.scalar)), 0, 0];
  while (!scanner.skip(close)) {
    const name = scanner.take();
    if (!scanner.skip(":") && (name.text === "key" || field.value.kind !== "message")) throw new Fault(name);
    if (name.text === "key" && keys++ === 0) key = keyOf(readScalar(scanner, keySchema));
    else if (name.text === "value" && values++ === 0) readValue(scanner, field, entry);
    else throw new Fault(name);
    skipSeparator(scanner);
  }
  innerOf(map).set(key, entry);
};

/** The tokens of one scalar: strings side by side are one. */
const readScalar = (
  scanner: TextScanner,
  schema: ValueSchema & { readonly kind: "scalar" | "enum" },
): readonly string[] => {
  const first = scanner.peek();
  const sign = scanner.skip("-") ? "-" : "";
  const { kind, text } = scanner.take();
  const takes = schema.kind === "enum" ? isEnumValue : scalarSyntax(schema.scalar);
  if (kind === "sign" || kind === "end" || !takes(sign + text, schema)) throw new Fault(first);
  const texts = [text];
  if (kind === "string") while (scanner.peek().kind === "string") texts.push(scanner.take().text);
  return texts;
};

type Syntax = (text: string, schema: ValueSchema) => boolean;

const isEnumValue: Syntax = (text, schema) =>
  schema.kind === "enum" && (schema.numbers.has(text) || isInRange("int32", integerOf(text)));

const scalarSyntax = (scalar: Scalar): Syntax => {
  if (scalar === "string") return (text) => /^["']/.test(text);
  if (scalar === "bool")
    return (text) => /^(?:[tT]rue|t|[fF]alse|f)$/.test(text) || [0, 1].includes(integerOf(text));
  return isInteger(scalar)
    ? (text) => isInRange(scalar, integerOf(text)) && !(scalar.startsWith("u") && text.startsWith("-"))
    : (text) => !/^-?["']/.test(text);
};

/** An integer literal's value, NaN for other texts. */
const integerOf = (text: string): number => {
  const [, sign = "", digits = ""] = /^(-?)(0[xX][0-9A-Fa-f]+|0[0-7]*|[1-9]\d*)$/.exec(text) ?? [];
  if (digits === "") return Number.NaN;
  return (sign ? -1 : 1) * (/^0[0-7]/.test(digits) ? Number.parseInt(digits, 8) : Number(digits));
};

const keyOf = ([first = "", ...more]: readonly string[]): string =>
  /^["']/.test(first) ? [first, ...more].map(unquote).join("") : String(integerOf(first));
