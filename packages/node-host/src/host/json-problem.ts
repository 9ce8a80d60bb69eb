import { isObject, isPromise } from "../request-values.ts";

/** A part of a value that JSON cannot represent: what it is, and what to use instead. */
interface Problem {
  readonly path: string;
  readonly is: string;
}

/**
 * The first part of a value that JSON cannot represent: `.seen[2] is a Map; convert it with Object.fromEntries()`. Undefined
 * if there is none. `JSON.stringify` leaves such parts out, or replaces them by {}, without an error. NaN and infinities
 * become null, as in functions that are translated to Python.
 * @param index The value's place in its tensor; undefined if it is the whole tensor.
 */
export const jsonProblem = (value: unknown, index?: number): string | undefined => {
  const found = value === undefined ? { path: "", is: "undefined; use null" } : find(value, []);
  if (found === undefined) return undefined;
  const at = index === undefined ? "" : `data[${index}]`;
  return `${at + found.path || "it"} is ${found.is}`;
};

/** @param around The objects that contain the value. */
const find = (value: unknown, around: object[]): Problem | undefined => {
  const is = isObject(value) ? lostObject(value, around) : lostScalar(value);
  if (is !== undefined) return { path: "", is };
  // Its author decides what is printed.
  if (!isObject(value) || "toJSON" in value) return undefined;
  around.push(value);
  const found = Array.isArray(value) ? findInList(value, around) : findInRecord(value, around);
  around.pop();
  return found;
};

const findInList = (list: readonly unknown[], around: object[]): Problem | undefined => {
  for (let index = 0; index < list.length; index++) {
    const found = find(list[index], around);
    if (found !== undefined) return { ...found, path: `[${index}]${found.path}` };
  }
  return undefined;
};

const findInRecord = (record: Readonly<Record<string, unknown>>, around: object[]): Problem | undefined => {
  for (const name of Object.keys(record)) {
    const found = find(record[name], around);
    if (found === undefined) continue;
    const step = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return { ...found, path: step + found.path };
  }
  return undefined;
};

const lostScalar = (value: unknown): string | undefined => {
  if (typeof value === "bigint") return "a bigint; convert it with Number() or String()";
  return typeof value === "function" || typeof value === "symbol"
    ? `a ${typeof value}; leave it out`
    : undefined;
};

const lostObject = (value: object, around: readonly object[]): string | undefined => {
  if (around.includes(value)) return "an object that contains it; leave it out";
  if (isPromise(value)) return "a Promise; await it, or use Promise.all for a list";
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null)
    return undefined;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? "an invalid Date; use a valid one or null" : undefined;
  if (boxes.some((box) => value instanceof box)) return lostScalar(value.valueOf());
  if ("toJSON" in value) return undefined;
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const isHidden = ArrayBuffer.isView(value) || conversions.has(tag) || Object.keys(value).length === 0;
  if (!isHidden) return undefined;
  const { constructor: { name = tag } = {} } = value as { readonly constructor?: { readonly name?: string } };
  const shown = tag === "Object" ? name : tag;
  const other = Symbol.iterator in value ? list : "use a plain object, or give its class a toJSON() method";
  return `${/^[AEIO]/.test(shown) ? "an" : "a"} ${shown}; ${conversions.get(tag) ?? other}`;
};

const boxes = [Number, String, Boolean] as const;

const list = "convert it to a list with [...]";

/** How to convert objects whose contents are not properties. */
const conversions: ReadonlyMap<string, string> = new Map([
  ["Map", "convert it with Object.fromEntries()"],
  ["Set", list],
  ["Error", "use its message"],
]);
