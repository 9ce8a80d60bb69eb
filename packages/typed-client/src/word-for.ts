/** A short description of an invalid value. */
export const wordFor = (value: unknown): string => {
  if (typeof value === "string") return value.length > 24 ? "text" : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  return String(value);
};

/** An array or a typed array. */
export const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
