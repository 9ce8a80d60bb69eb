/**
 * A value of JavaScript or Python as lossless JSON: numbers as text, strings beyond printable ASCII as UTF-16 units,
 * everything else as a list that starts with its kind. A `d` from Python (a dict) may be a record, a Map or a Set, and an
 * `i` a number or a bigint.
 */
export type Exact = string | boolean | null | readonly Exact[];

/** The outcome of a call. */
export type Outcome = Exact;

export const exact = (value: unknown): Exact => {
  if (value === null || typeof value === "boolean") return value;
  if (value === undefined) return ["u"];
  if (typeof value === "string")
    return /^[\x20-\x7e]*$/.test(value) ? value : ["s", Buffer.from(value, "utf16le").toString("hex")];
  if (typeof value === "number") return ["n", Object.is(value, -0) ? "-0" : String(value)];
  if (typeof value === "bigint") return ["b", String(value)];
  if (Array.isArray(value)) return ["a", ...Array.from(value, exact)];
  if (isWholes(value)) return ["a", ...Array.from(value, (item) => ["i", String(item)])];
  if (ArrayBuffer.isView(value)) return ["a", ...Array.from(value as Uint8Array, exact)];
  if (isNamed(value, "Map")) return ["m", ...Array.from(value as Map<unknown, unknown>, pair)];
  if (isNamed(value, "Set")) return ["e", ...Array.from(value as Set<unknown>, exact)];
  if (typeof value === "object") return ["o", ...Object.entries(value).map(pair)];
  return ["alien", typeof value];
};

/** The outcome of a JavaScript call that threw. */
export const exactThrown = (error: unknown): Outcome => {
  const { name, message } = error as Error;
  return ["throw", exact(name), exact(message)];
};

/** Whether Python's outcome is equivalent to JavaScript's. */
export const agree = (javascript: Exact, python: Exact): boolean => {
  if (!isList(javascript) || !isList(python)) return javascript === python;
  const [kind, ...left] = javascript;
  const [other, ...right] = python;
  if (kind === "n") return sameNumber(String(left[0]), other ?? null, String(right[0]));
  if (kind === "b") return other === "i" && left[0] === right[0];
  if (kind === "o" && other === "d") return agree(["a", ...left], ["a", ...inPropertyOrder(right)]);
  if (kind === "m" && other === "d") return agree(["a", ...left], ["a", ...right]);
  if (kind === "e" && other === "d") return agree(["a", ...left], ["a", ...right.map(keyOf)]);
  return (
    kind === other && left.length === right.length && left.every((item, at) => agree(item, right[at] ?? null))
  );
};

const pair = ([key, value]: readonly [unknown, unknown]): Exact => ["a", exact(key), exact(value)];
const isNamed = (value: unknown, name: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${name}]`;
/** Whether it is a typed array of integers, which is a list of only ints in Python. */
const isWholes = (value: unknown): value is Int32Array =>
  ArrayBuffer.isView(value) && /^\[object U?[iI]nt/.test(Object.prototype.toString.call(value));
const isList = (value: Exact): value is readonly Exact[] => Array.isArray(value);

/** Whether two numbers are the same. A Python int must be one that JavaScript represents exactly, and not -0. */
const sameNumber = (text: string, kind: Exact, other: string): boolean => {
  const number = Number(text);
  if (kind === "i") return Number.isSafeInteger(number) && !Object.is(number, -0) && String(number) === other;
  return kind === "n" && Object.is(number, Number(other.replace("inf", "Infinity").replace("nan", "NaN")));
};

const keyOf = (item: Exact): Exact => (isList(item) ? (item[1] ?? null) : null);
const inPropertyOrder = (items: readonly Exact[]): readonly Exact[] => {
  const numeric = items.filter((item) => isArrayIndex(keyOf(item)));
  const rest = items.filter((item) => !isArrayIndex(keyOf(item)));
  return [...numeric.toSorted((a, b) => Number(keyOf(a)) - Number(keyOf(b))), ...rest];
};
const isArrayIndex = (key: Exact): boolean =>
  typeof key === "string" && String(Number(key) >>> 0) === key && Number(key) !== 4294967295;
