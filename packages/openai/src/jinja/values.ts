import type { Value } from "./library.ts";

/** Creates values. */
export interface Make {
  text(value: string): Value;
  integer(value: number): Value;
  float(value: number): Value;
  truth(value: boolean): Value;
  list(values: readonly Value[]): Value;
  tuple(values: readonly Value[]): Value;
  readonly none: Value;
  readonly missing: Value;
}

export const isText = (value: Value | undefined): value is Value & { readonly value: string } =>
  value?.type === "StringValue";
export const isList = (value: Value | undefined): value is Value & { readonly value: readonly Value[] } =>
  value?.type === "ArrayValue" || value?.type === "TupleValue";
export const isMap = (
  value: Value | undefined,
): value is Value & { readonly value: ReadonlyMap<string, Value> } =>
  value?.type === "ObjectValue" || value?.type === "NamespaceValue";
/** Includes booleans, as in Python. */
export const isNumber = (value: Value | undefined): value is Value & { readonly value: number | boolean } =>
  value !== undefined && ["IntegerValue", "FloatValue", "BooleanValue"].includes(value.type);
export const isMissing = (value: Value | undefined): boolean =>
  value === undefined || value.type === "UndefinedValue";
// oxlint-disable-next-line no-underscore-dangle -- the library names it as Python does
export const isTrue = (value: Value | undefined): boolean => value?.__bool__().value === true;

/** @throws Error for a value that is not a number. */
export const numberOf = (value: Value | undefined): number => {
  if (isNumber(value)) return Number(value.value);
  throw new Error(`expected a number, got ${pythonRepr(value)}`);
};

/** The elements of a list, the characters of a text, or the keys of a mapping. @throws Error for any other value. */
export const elementsOf = (value: Value, make: Make): readonly Value[] => {
  if (isList(value)) return value.value;
  if (isText(value)) return Array.from(value.value, make.text);
  if (isMap(value)) return Array.from(value.value.keys(), make.text);
  if (isMissing(value)) return [];
  throw new Error(`${pythonRepr(value)} is not iterable`);
};

/** `str(value)` in Python; nothing for an undefined value. */
export const pythonText = (value: Value | undefined): string =>
  isMissing(value) ? "" : isText(value) ? value.value : pythonRepr(value);

/** `repr(value)` in Python. */
export const pythonRepr = (value: Value | undefined): string => {
  if (isMissing(value)) return "Undefined";
  if (isText(value)) return textRepr(value.value);
  if (isMap(value))
    return `{${[...value.value].map(([key, one]) => `${textRepr(key)}: ${pythonRepr(one)}`).join(", ")}}`;
  if (isList(value)) {
    const inner = value.value.map(pythonRepr).join(", ");
    if (value.type === "ArrayValue") return `[${inner}]`;
    return value.value.length === 1 ? `(${inner},)` : `(${inner})`;
  }
  if (value?.type === "NullValue") return "None";
  if (value?.type === "BooleanValue") return value.value === true ? "True" : "False";
  return value?.type === "FloatValue" ? floatRepr(numberOf(value)) : String(value?.value);
};

const floatRepr = (value: number): string => {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").replace("NaN", "nan");
  const [digits = "0", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value !== 0 && (power < -4 || power >= 16))
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return Number.isInteger(value) ? `${value}.0` : String(value);
};

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const textRepr = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // oxlint-disable-next-line no-control-regex -- Python escapes control characters
  const escaped = text.replaceAll(/[\\\u0000-\u001F\u007F]/g, (one) => escapes[one] ?? hex(one));
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
};

const hex = (one: string): string => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** `a == b` in Python. */
export const isEqual = (a: Value | undefined, b: Value | undefined): boolean => {
  if (isNumber(a) && isNumber(b)) return Number(a.value) === Number(b.value);
  if (isList(a) && isList(b))
    return (
      a.type === b.type &&
      a.value.length === b.value.length &&
      a.value.every((one, i) => isEqual(one, b.value[i]))
    );
  if (isMap(a) && isMap(b))
    return (
      a.value.size === b.value.size && [...a.value].every(([key, one]) => isEqual(one, b.value.get(key)))
    );
  return a?.type === b?.type && a?.value === b?.value;
};

/** Negative if `a < b` in Python. @throws Error if they have no order. */
export const compare = (a: Value | undefined, b: Value | undefined): number => {
  if (isNumber(a) && isNumber(b)) return Number(a.value) - Number(b.value);
  if (isText(a) && isText(b)) return a.value < b.value ? -1 : Number(a.value > b.value);
  if (isList(a) && isList(b)) {
    const different = a.value.findIndex((one, i) => !isEqual(one, b.value[i]));
    const end = different < 0 || different >= b.value.length;
    return end ? a.value.length - b.value.length : compare(a.value[different], b.value[different]);
  }
  throw new Error(`${pythonRepr(a)} and ${pythonRepr(b)} have no order`);
};

/** `item in container` in Python. */
export const isIn = (item: Value, container: Value | undefined): boolean => {
  if (isList(container)) return container.value.some((one) => isEqual(one, item));
  if (isMap(container)) return isText(item) && container.value.has(item.value);
  if (isText(container) && isText(item)) return container.value.includes(item.value);
  if (isMissing(container)) return false;
  throw new Error(`${pythonRepr(item)} cannot be in ${pythonRepr(container)}`);
};
