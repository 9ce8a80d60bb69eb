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
import { faultInString, TextScanner, type Token, unquote } from "./scan-text.ts";
import { skipField } from "./skip-field.ts";

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
 * Finds fields in a config's text. A field is where its name is; an item of a list in brackets is where its value begins, an item
 * given as a field of its own (`dims: 2 dims: 3`) where the value of that field is for scalars and where the name is for
 * messages; an entry of a map likewise, the last one of those with the same key. In a text that does not parse, the fields before
 * its first syntax error are found. Takes time and memory in proportion to the text, at the first question.
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
  /** From where to where a scalar's field goes that has its default value. */
  unset?: TextRange;
}

interface TextRange {
  readonly from: number;
  to: number;
}

const placeAt = ({ line, column }: TextPosition): Place => ({ line, column, inner: undefined });

const innerOf = (place: Place): Map<string | number, Place> => {
  place.inner ??= new Map();
  return place.inner;
};

/** Where a text stops to be a config, as far as its grammar, its names and its numbers tell; undefined when they do not. */
export const findFault = (text: string): TextPosition | undefined => {
  const { faults, end } = readPlaces(text);
  const first = faults[0] ?? end;
  return first && { line: first.line, column: first.column };
};

/** A faulty field that parsing can skip. The position is that of the fault. */
export interface FieldFault extends TextPosition, TextRange {
  /** The field's parent. */
  readonly owner: MessageSchema;
  /** The map, if the field is inside an entry of a map. */
  readonly map: FieldSchema | undefined;
  /** What is wrong, where the field alone would not show it. */
  readonly message: string | undefined;
}

/** The fields with faults in the order of the text, up to a fault after which it is not certain how it goes on; at most 1,000. */
export const findFieldFaults = (text: string): readonly FieldFault[] => readPlaces(text).faults;

/** The text with spaces in the ranges, which do not overlap. */
export const withoutRanges = (text: string, ranges: readonly TextRange[]): string => {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(end, from), text.slice(from, to).replaceAll(/[^\n]/g, " "));
    end = to;
  }
  return parts.join("") + text.slice(end);
};

/**
 * The text with spaces for scalars that have their default value and are given again (`count: 0 count: 2`): protobuf does not
 * see that such a field was set, and takes the later one.
 */
export const withoutOverwritten = (text: string): string => withoutRanges(text, readPlaces(text).overwritten);

class PlaceScanner extends TextScanner {
  readonly overwritten: TextRange[] = [];
  readonly faults: FieldFault[] = [];
}

interface FaultAbout {
  /** From the token's first character. */
  readonly offset?: number;
  readonly message?: string;
  /** The field or the oneof that is given again. */
  readonly repeated?: { readonly field: string } | { readonly oneof: string };
}

class Fault extends Error {
  readonly token: Token;
  readonly about: FaultAbout;
  constructor(token: Token, about: FaultAbout = {}) {
    super();
    this.token = token;
    this.about = about;
  }
}

/** A fault after which it is not certain how the text goes on. */
class EndOfReading extends Error {
  readonly fault: TextPosition;
  constructor(fault: TextPosition) {
    super();
    this.fault = fault;
  }
}

interface Places {
  readonly root: Place;
  readonly faults: readonly FieldFault[];
  /** Where reading ended before the text does. */
  readonly end: TextPosition | undefined;
  readonly overwritten: readonly TextRange[];
}

const readPlaces = (text: string): Places => {
  const root = placeAt({ line: 1, column: 1 });
  const scanner = new PlaceScanner(text);
  const { overwritten, faults } = scanner;
  try {
    readMessage(scanner, modelConfigSchema, root, "");
    return { root, faults, end: undefined, overwritten };
  } catch (error) {
    if (error instanceof EndOfReading) return { root, faults, end: error.fault, overwritten };
    throw error;
  }
};

/** A text with more faults is something else than a config; reading on would take long. */
const faultLimit = 1000;

/** Reads a field; one with a fault is noted and passed over. */
const readOrSkip = (
  scanner: PlaceScanner,
  owner: MessageSchema,
  map: FieldSchema | undefined,
  read: () => void,
): void => {
  const start = scanner.peek();
  try {
    read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { token, about } = error;
    const place = { line: token.line, column: token.column + (about.offset ?? 0) };
    if (scanner.faults.length === faultLimit) throw new EndOfReading(place);
    scanner.returnTo(start);
    if (!skipField(scanner)) throw new EndOfReading(place);
    const message = about.repeated ? repeats(about.repeated, owner, map) : about.message;
    scanner.faults.push({ ...place, from: start.offset, to: scanner.peek().offset, owner, map, message });
  }
};

/** In the words of protobuf's parser. */
const repeats = (
  repeated: NonNullable<FaultAbout["repeated"]>,
  owner: MessageSchema,
  map: FieldSchema | undefined,
): string => {
  const entry = map === undefined ? "" : `.${map.name}_entry`;
  return `${"oneof" in repeated ? repeated.oneof : `${owner.name}${entry}.${repeated.field}`}: multiple values`;
};

/** Reads fields up to a closing brace, or to the end of the text. */
const readMessage = (scanner: PlaceScanner, schema: MessageSchema, place: Place, close: string): void => {
  while (!takeEnd(scanner, close))
    readOrSkip(scanner, schema, undefined, () => {
      const name = scanner.take();
      const field = name.kind === "word" ? schema.fields.get(name.text) : undefined;
      if (field === undefined) throw new Fault(name);
      readField(scanner, schema, field, place, name);
      skipSeparator(scanner);
      const { unset } = place.inner?.get(field.name) ?? {};
      if (unset) unset.to = scanner.peek().offset;
    });
};

/** `""` closes the whole text. */
const takeEnd = (scanner: PlaceScanner, close: string): boolean =>
  close === "" ? scanner.peek().kind === "end" : scanner.skip(close);

const skipSeparator = (scanner: PlaceScanner): void => {
  if (!scanner.skip(",")) scanner.skip(";");
};

/** Optional before messages only. */
const skipColon = (scanner: PlaceScanner, { shape, value }: FieldSchema): void => {
  if (!scanner.skip(":") && shape !== "map" && value.kind !== "message") throw new Fault(scanner.peek());
};

/** No field has such a name. */
const oneofKey = (name: string): string => `oneof ${name}`;

const readField = (
  scanner: PlaceScanner,
  owner: MessageSchema,
  field: FieldSchema,
  parent: Place,
  name: Token,
): void => {
  const siblings = innerOf(parent);
  const earlier = field.shape === "single" ? siblings.get(field.name) : undefined;
  if (earlier && (!earlier.unset || field.oneof !== undefined))
    throw new Fault(name, { repeated: { field: field.name } });
  if (earlier?.unset) scanner.overwritten.push(earlier.unset);
  if (field.oneof !== undefined && siblings.has(oneofKey(field.oneof)))
    throw new Fault(name, { repeated: { oneof: field.oneof } });
  if (field.oneof !== undefined) siblings.set(oneofKey(field.oneof), placeAt(name));
  const place = (earlier ? undefined : siblings.get(field.name)) ?? placeAt(name);
  siblings.set(field.name, place);
  skipColon(scanner, field);
  if (!scanner.skip("[")) return readItem(scanner, owner, field, place, name);
  if (scanner.skip("]")) return;
  do readItem(scanner, owner, field, place, scanner.peek());
  while (scanner.skip(","));
  if (!scanner.skip("]")) throw new Fault(scanner.peek());
};

const readItem = (
  scanner: PlaceScanner,
  owner: MessageSchema,
  field: FieldSchema,
  list: Place,
  start: Token,
): void => {
  if (field.shape === "map") return readEntry(scanner, owner, field, list, start);
  const item =
    field.shape === "single" ? list : placeAt(field.value.kind === "message" ? start : scanner.peek());
  if (field.shape === "list") innerOf(list).set(list.inner?.size ?? 0, item);
  readValue(scanner, field, item);
  if (field.shape === "single" && item.unset) item.unset = { from: start.offset, to: item.unset.to };
};

const readValue = (scanner: PlaceScanner, { value }: FieldSchema, place: Place): void => {
  if (value.kind === "message") readMessage(scanner, value.message, place, openBrace(scanner));
  else if (isDefault(value, readScalar(scanner, value))) place.unset = { from: 0, to: 0 };
};

const isDefault = (
  schema: ValueSchema & { readonly kind: "scalar" | "enum" },
  texts: readonly string[],
): boolean => {
  const [text = ""] = texts;
  if (schema.kind === "enum") return schema.numbers.get(text) === 0 || integerOf(text) === 0;
  if (schema.scalar === "string") return texts.every((one) => unquote(one) === "");
  if (schema.scalar === "bool") return /^(?:[fF]alse|f)$/.test(text) || integerOf(text) === 0;
  return (/^0x/i.test(text) ? Number(text) : Number.parseFloat(text)) === 0;
};

const openBrace = (scanner: PlaceScanner): string => {
  if (scanner.skip("{")) return "}";
  if (scanner.skip("<")) return ">";
  throw new Fault(scanner.peek());
};

const readEntry = (
  scanner: PlaceScanner,
  owner: MessageSchema,
  field: FieldSchema,
  map: Place,
  start: Token,
): void => {
  const entry = placeAt(start);
  const close = openBrace(scanner);
  const keySchema = { kind: "scalar", scalar: field.keyScalar ?? "string" } as const;
  let [key, keys, values] = [String(scalarDefault(keySchema.scalar)), 0, 0];
  while (!scanner.skip(close))
    readOrSkip(scanner, owner, field, () => {
      const name = scanner.take();
      const isKey = name.text === "key";
      if (!isKey && name.text !== "value") throw new Fault(name);
      if (!scanner.skip(":") && (isKey || field.value.kind !== "message")) throw new Fault(name);
      if ((isKey ? keys++ : values++) > 0) throw new Fault(name, { repeated: { field: name.text } });
      if (isKey) key = keyOf(readScalar(scanner, keySchema));
      else readValue(scanner, field, entry);
      skipSeparator(scanner);
    });
  innerOf(map).set(key, entry);
};

/** The tokens of one scalar: strings side by side are one. */
const readScalar = (
  scanner: PlaceScanner,
  schema: ValueSchema & { readonly kind: "scalar" | "enum" },
): readonly string[] => {
  const first = scanner.peek();
  const sign = scanner.skip("-") ? "-" : "";
  const { kind, text } = scanner.take();
  const takes = schema.kind === "enum" ? isEnumValue : scalarSyntax(schema.scalar);
  if (kind === "sign" || kind === "end" || !takes(sign + text, schema)) throw new Fault(first);
  if (kind !== "string") return [text];
  const strings = [first];
  while (scanner.peek().kind === "string") strings.push(scanner.take());
  for (const token of strings) {
    const fault = faultInString(token.text);
    if (fault) throw new Fault(token, fault);
  }
  return strings.map((token) => token.text);
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
