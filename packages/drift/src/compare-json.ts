import { attempt, ownValue, parseExactJson, tryDecodeUtf8 } from "@tritype/core";

/** The differences between two JSON objects or arrays. */
export interface JsonComparison {
  /** Numbers at the same path, except whole numbers that differ, which are counts or identifiers. */
  readonly numbers: readonly JsonPair<number>[];
  /** The first other difference. */
  readonly difference: JsonPair<string> | undefined;
}

/** A value of the reference, and the candidate's value at the same path. */
export interface JsonPair<Value> {
  /** `items[2].score`; empty for the whole document. */
  readonly path: string;
  readonly reference: Value;
  readonly candidate: Value;
}

/** A JSON object or array; undefined for all other bytes. Integers beyond 2^53 keep all their digits. */
export const parseJson = (bytes: Uint8Array): object | undefined => {
  const text = tryDecodeUtf8(bytes);
  if (text === undefined || !/^[ \t\r\n]*[[{]/.test(text)) return undefined;
  return attempt(() => parseExactJson(text) as object);
};

/** Compares values by path. The order of an object's properties has no effect. */
export const compareJson = (reference: object, candidate: object): JsonComparison => {
  const numbers: JsonPair<number>[] = [];
  let difference: JsonPair<string> | undefined;
  // A list instead of recursion: documents may be nested more deeply than the stack allows.
  const left: JsonPair<unknown>[] = [{ path: "", reference, candidate }];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const { path, reference: y, candidate: x } = pair;
    if (typeof y === "number" && typeof x === "number" && isMeasured(y, x))
      numbers.push({ path, reference: y, candidate: x });
    else if (isContainer(y) && isContainer(x) && lengthOf(y) === lengthOf(x))
      for (const child of childrenOf(path, y, x).toReversed()) left.push(child);
    else if (x !== y) difference ??= { path, reference: show(y), candidate: show(x) };
  }
  return { numbers, difference };
};

const isMeasured = (y: number, x: number): boolean =>
  x === y || (Number.isFinite(x - y) && !(Number.isInteger(x) && Number.isInteger(y)));

type Container = Readonly<Record<string, unknown>>;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/** -1 for an object. */
const lengthOf = (value: object): number => (Array.isArray(value) ? value.length : -1);

/** The reference's items or properties in order, followed by those that only the candidate has. */
const childrenOf = (path: string, y: Container, x: Container): readonly JsonPair<unknown>[] =>
  [...new Set([...Object.keys(y), ...Object.keys(x)])].map((name) => ({
    path: Array.isArray(y) ? `${path}[${name}]` : propertyPath(path, name),
    reference: ownValue(y, name),
    candidate: ownValue(x, name),
  }));

const propertyPath = (path: string, name: string): string => {
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
};

const show = (value: unknown): string => {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return showText(value);
  if (!isContainer(value)) return value === null ? "null" : (value as number | bigint | boolean).toString();
  return Array.isArray(value) ? `a list of ${value.length}` : "an object";
};

const longest = 60;

/** In quotes, shortened. */
export const showText = (text: string): string => {
  const shown = JSON.stringify(text);
  return shown.length <= longest ? shown : `${shown.slice(0, longest - 2)}…"`;
};
