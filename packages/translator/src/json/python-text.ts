/** A JavaScript string as a Python literal in double quotes, unit by unit. */
export const pythonText = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => unitText(text.charCodeAt(at))).join("")}"`;

const named: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\" };

const unitText = (unit: number): string => {
  const character = String.fromCharCode(unit);
  if (named[unit] !== undefined) return named[unit];
  if (/^[\x20-\x7e\p{L}]$/u.test(character)) return character;
  return `\\u${unit.toString(16).padStart(4, "0")}`;
};
