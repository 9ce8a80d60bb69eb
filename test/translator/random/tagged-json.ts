/** Encodes a value of a random row as JSON, which has no bigints, NaN, infinities or negative zero. */
export const tagged = (value: unknown): unknown => {
  if (typeof value === "bigint") return { bigint: String(value) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { number: Object.is(value, -0) ? "-0" : String(value) };
  if (Array.isArray(value)) return value.map(tagged);
  if (typeof value !== "object" || value === null) return value;
  return { fields: Object.entries(value).map(([name, field]) => [name, tagged(field)]) };
};

/** Decodes such a value. */
export const untagged = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== "object" || value === null) return value;
  const { bigint, number, fields } = value as {
    readonly bigint?: string;
    readonly number?: string;
    readonly fields?: readonly (readonly [string, unknown])[];
  };
  if (bigint !== undefined) return BigInt(bigint);
  if (number !== undefined) return Number(number);
  return Object.fromEntries((fields ?? []).map(([name, field]) => [name, untagged(field)]));
};
