import {
  type FieldSchema,
  integerOf,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  scalarDefault,
  valueDefault,
  type ValueSchema,
} from "./config-schema.ts";
import { faultTexts } from "./fault-texts.ts";
import type { ModelConfig } from "./generated/model-config.ts";
import { readScalar } from "./read-scalar.ts";
import { TextScanner, type Token } from "./scan-text.ts";
import { closeOf, isName, opensMessage, skipField } from "./skip-field.ts";
import { faultAt, TextFault } from "./text-fault.ts";

/** The place of a field or an item, and its contents by name, index or key. */
export interface Place {
  readonly offset: number;
  inner?: Map<string | number, Place> | undefined;
}

export interface ReadConfig {
  /** Leaves out the skipped fields; empty if reading ended early. */
  readonly config: ModelConfig;
  readonly root: Place;
  /** The faults in the order of the text. */
  readonly faults: readonly TextFault[];
}

/**
 * Reads a config and the place of everything in it. A faulty field is skipped if its end is certain; otherwise reading
 * ends there. It also ends after 1,000 faults; a text with a zero byte has one fault.
 */
export const readConfigText = (text: string): ReadConfig => {
  const root: Place = { offset: 0 };
  const reading: Reading = { scanner: new TextScanner(text), faults: [] };
  const config = readWhole(reading, root);
  const [first] = reading.faults;
  const zero = text.indexOf("\0");
  if (zero === -1) return { config, root, faults: reading.faults };
  const { message, offset } = first && first.offset < zero ? first : { message: "a zero byte", offset: zero };
  return { config, root, faults: [new TextFault(message, offset)] };
};

const readWhole = (reading: Reading, root: Place): ModelConfig => {
  try {
    return readFields(reading, modelConfigSchema, root, "");
  } catch (error) {
    if (error instanceof TextFault) return {};
    throw error;
  }
};

interface Reading {
  readonly scanner: TextScanner;
  readonly faults: TextFault[];
}

interface Message extends Reading {
  readonly schema: MessageSchema;
  readonly place: Place;
  /** The values by field: a list for lists, a list of entries for maps. */
  readonly values: Map<string, unknown>;
  /** Fields and oneofs that must not be set again. */
  readonly given: Set<string>;
}

/** Reads up to a closing brace; `""` represents the end of the text. */
const readFields = (reading: Reading, schema: MessageSchema, place: Place, close: string): object => {
  const { scanner, faults } = reading;
  const message: Message = { scanner, faults, schema, place, values: new Map(), given: new Set() };
  while (!(close === "" ? scanner.peek().kind === "end" : scanner.skip(close))) {
    const start = scanner.peek();
    try {
      if (start.kind === "end") throw faultAt(start, `expected '${close}'`);
      readField(message, scanner.take());
    } catch (error) {
      skipFaulty(reading, start, error);
    }
  }
  return objectOf(message);
};

/** A text with more faults is not a config, and reading the rest would take too long. */
const faultLimit = 1000;

/** Rethrows the fault if it ends the reading. */
const skipFaulty = ({ scanner, faults }: Reading, start: Token, error: unknown): void => {
  if (!(error instanceof TextFault) || error === faults.at(-1)) throw error;
  scanner.returnTo(start);
  faults.push(error);
  if (faults.length > faultLimit || !skipField(scanner)) throw error;
  error.skipped = { from: start.offset, to: scanner.peek().offset };
};

/**
 * The fields of a message as an object, in the order of the schema. Of entries with the same key, the last one counts.
 */
const objectOf = ({ schema, values }: Message): object => {
  const entries: [string, unknown][] = [];
  for (const { name, shape } of schema.fields.values()) {
    const value = values.get(name);
    if (value === undefined) continue;
    entries.push([name, shape === "map" ? Object.fromEntries(value as [string, unknown][]) : value]);
  }
  return Object.fromEntries(entries);
};

const readField = (message: Message, name: Token): void => {
  const { scanner, schema, values, given } = message;
  const field = fieldNamed(message, name);
  const { shape, value, oneof } = field;
  const place = claim(message, field, name);
  if (!scanner.skip(":") && shape !== "map" && value.kind !== "message")
    throw faultAt(scanner.peek(), faultTexts.colon);
  const isList = scanner.peek().text === "[";
  if (shape !== "single") {
    const items = isList ? readList(message, field, place) : [readItem(message, field, place, name)];
    const list = (values.get(field.name) ?? []) as unknown[];
    for (const item of items) list.push(item);
    if (list.length > 0) values.set(field.name, list);
  } else if (isList) {
    const says = `${schema.name}.${field.name}: list value specified for singular field`;
    throw faultAt(scanner.peek(), says);
  } else {
    const read = readValue(message, field, place);
    values.set(field.name, read);
    // Protobuf does not notice that a scalar was set to its default, so a later value counts (`count: 0 count: 2`).
    if (oneof === undefined && read === valueDefault(value)) given.delete(field.name);
  }
  if (!scanner.skip(",")) scanner.skip(";");
};

const fieldNamed = ({ scanner, schema }: Message, name: Token): FieldSchema => {
  const { text } = name;
  const field = schema.fields.get(text);
  if (field) return field;
  if (isName(name)) throw faultAt(name, `${schema.name}: unknown field '${text}'`);
  if (text === "," || text === ";") throw faultAt(name, "unexpected separator");
  const extension = text === "[" ? scanner.take() : undefined;
  if (extension?.kind === "word" && scanner.peek().text === "]")
    throw faultAt(name, `${schema.name}: unknown extension '${extension.text}'`);
  throw faultAt(name, `${faultTexts.fieldName} '${text}'`);
};

/** The place of a field, which counts as set from now on, even if it has its default value. */
const claim = ({ schema, place, given }: Message, { name, shape, oneof }: FieldSchema, at: Token): Place => {
  place.inner ??= new Map();
  const earlier = shape === "single" ? undefined : place.inner.get(name);
  if (shape === "single") {
    if (given.has(name)) throw faultAt(at, `${schema.name}.${name}: multiple values`);
    if (given.has(`oneof ${oneof}`)) throw faultAt(at, `${oneof}: multiple values`);
    given.add(name);
    if (oneof !== undefined) given.add(`oneof ${oneof}`);
  }
  const own = earlier ?? { offset: at.offset };
  place.inner.set(name, own);
  return own;
};

const readList = (message: Message, field: FieldSchema, list: Place): readonly unknown[] => {
  const { scanner } = message;
  const items: unknown[] = [];
  scanner.take();
  if (scanner.skip("]")) return items;
  do items.push(readItem(message, field, list, scanner.peek()));
  while (scanner.skip(","));
  if (!scanner.skip("]")) throw faultAt(scanner.peek(), faultTexts.listEnd);
  return items;
};

/** An item of a list, or a map's entry: its key as a string, and its value. */
const readItem = (message: Message, field: FieldSchema, list: Place, start: Token): unknown => {
  const { scanner, schema } = message;
  const { shape, value, keyScalar } = field;
  list.inner ??= new Map();
  const at = shape === "map" || value.kind === "message" ? start : scanner.peek();
  const item: Place = { offset: at.offset };
  if (shape === "list") list.inner.set(list.inner.size, item);
  if (keyScalar === undefined) return readValue(message, field, item);
  const entry = readMessage(message, entrySchema(schema, field, keyScalar), item) as Entry;
  const { key = scalarDefault(keyScalar), value: held = valueDefault(value) } = entry;
  list.inner.set(String(key), { offset: at.offset, inner: item.inner?.get("value")?.inner });
  return [String(key), held];
};

interface Entry {
  readonly key?: string | number | bigint | boolean;
  readonly value?: unknown;
}

const entrySchemas = new Map<FieldSchema, MessageSchema>();

/** Key and value each form their own oneof, like proto3's `optional`: defaults count as set. */
const entrySchema = (owner: MessageSchema, map: FieldSchema, scalar: Scalar): MessageSchema => {
  const known = entrySchemas.get(map);
  if (known) return known;
  const field = (name: string, value: ValueSchema): readonly [string, FieldSchema] => [
    name,
    { name, value, shape: "single", keyScalar: undefined, oneof: name },
  ];
  const fields = new Map([field("key", { kind: "scalar", scalar }), field("value", map.value)]);
  const schema: MessageSchema = { name: `${owner.name}.${map.name}_entry`, fields };
  entrySchemas.set(map, schema);
  return schema;
};

const readValue = (message: Message, { name, value, oneof }: FieldSchema, place: Place): unknown => {
  if (value.kind === "message") return readMessage(message, value.message, place);
  const read = readScalar(message.scanner, `${message.schema.name}.${name}`, value);
  // An entry's key is converted to text; the conversion is exact.
  return typeof read === "bigint" && oneof !== "key" ? integerOf(name, read) : read;
};

const readMessage = (reading: Reading, schema: MessageSchema, place: Place): object => {
  const open = reading.scanner.take();
  if (!opensMessage(open)) throw faultAt(open, "expected message value");
  return readFields(reading, schema, place, closeOf(open));
};
