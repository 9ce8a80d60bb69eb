/** Like C++'s `stoi` and `stoull`: reads the leading digits, and ignores everything after them. */
export const readInteger = (text: string): bigint | undefined => {
  const [, sign, digits] = /^[ \t\n\v\f\r]*([+-]?)(\d+)/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
};

/** The names that Triton accepts for booleans, case-insensitive. */
export const isBoolean = (text: string): boolean =>
  ["true", "on", "1", "false", "off", "0"].includes(text.toLowerCase());
