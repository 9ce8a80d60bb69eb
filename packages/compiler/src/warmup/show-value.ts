const longest = 60;

/** The user's value, shortened for use in a message. */
export const showValue = (value: unknown): string => {
  if (typeof value === "function") return "a function";
  const text =
    typeof value === "number" || typeof value === "bigint"
      ? numberText(value)
      : (JSON.stringify(value, (_, inner: unknown) => (hasNoJson(inner) ? numberText(inner) : inner)) ??
        typeof value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

const hasNoJson = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value));

const numberText = (value: number | bigint): string =>
  typeof value === "bigint" ? `${value}n` : String(value);
