const longest = 60;

/** The user's value, shortened for use in a message. */
export const showValue = (value: unknown): string => {
  if (typeof value === "function") return "a function";
  const text =
    typeof value === "bigint"
      ? `${value}n`
      : (JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner)) ??
        typeof value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};
