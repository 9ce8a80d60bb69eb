/** Seeded random values of the types that the programs take. */
export const inputsFor = (type: string, count: number, seed: number): readonly Record<string, unknown>[] => {
  const random = newRandom(seed);
  const fields = fieldsOf(type);
  return Array.from({ length: count }, () =>
    Object.fromEntries(fields.map(([name, of]) => [name, valueOf(of, random)])),
  );
};

type Random = (below: number) => number;

/** Mulberry32. */
const newRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
};

/** The fields of `{ a: number; b?: string }` as pairs of name and type, which may contain nested braces. */
const fieldsOf = (type: string): readonly (readonly [string, string])[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of type.trim().slice(1, -1)) {
    if (char === "{" || char === "(" || char === "[") depth++;
    if (char === "}" || char === ")" || char === "]") depth--;
    if (char === ";" && depth === 0) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  return [...parts, part]
    .filter((text) => text.trim() !== "")
    .map((text) => [text.slice(0, text.indexOf(":")).trim(), text.slice(text.indexOf(":") + 1).trim()]);
};

const valueOf = (type: string, random: Random): unknown => {
  const list = /^(?:\((.*)\)|(.*?))\[\]$/.exec(type);
  if (type.startsWith("{")) {
    const fields = fieldsOf(type).filter(([name]) => !name.endsWith("?") || random(3) > 0);
    return Object.fromEntries(fields.map(([name, of]) => [name.replace("?", ""), valueOf(of, random)]));
  }
  if (list !== null && !(list[1] === undefined && type.includes(" | ")))
    return Array.from({ length: random(7) }, () => valueOf(list[1] ?? list[2] ?? "", random));
  if (type.includes(" | ")) {
    const options = type.split(" | ");
    return valueOf(options[random(options.length)] ?? "null", random);
  }
  switch (type) {
    case "string":
      return text(random);
    case "number":
      return number(random);
    case "bigint":
      return BigInt(random(9) - 4) * [1n, 3n, 1000003n, 2n ** 53n + 1n, 2n ** 62n][random(5)]!;
    case "boolean":
      return random(2) === 1;
    case "null":
      return null;
    case "Float32Array":
      return Float32Array.from({ length: random(7) }, () => number(random));
    default:
      throw new Error(`no inputs for the type ${type}`);
  }
};

const numbers = [
  0,
  -0,
  1,
  2,
  3,
  -1,
  0.5,
  1.5,
  2.5,
  -2.5,
  7,
  9.99,
  1e21,
  1e-7,
  123456.789,
  -1e-9,
  2 ** 31,
  2 ** 32 + 5,
  2 ** 53,
  NaN,
  Infinity,
  -Infinity,
  0.1,
  1e16,
];
const number: Random & ((random: Random) => number) = ((random: Random): number =>
  random(3) === 0
    ? numbers[random(numbers.length)]!
    : random(4) === 0
      ? random(2000) / 7 - 100
      : random(15) - 4) as never;

const pieces = [
  "a",
  "b",
  "c",
  "the",
  "of",
  " ",
  "  ",
  "\n",
  "_",
  "-",
  ".",
  ",",
  "1",
  "2024-02-03",
  "12 - 34x",
  "(",
  ")",
  "[",
  "]",
  "ß",
  "İ",
  "Σ",
  "é",
  "e\u0301",
  "😀",
  "\ud83d",
  "\u2028",
  "\ufeff",
  '"',
  "'",
  "\\",
  "{}",
  "x@y",
  "bob@host.com",
  "0x1f",
  "-5",
  "1e3",
  "“",
  "Ab",
  "$&",
  "constructor",
  "\t",
  "\r\n",
  "ﬁ",
  "z",
];
const text = (random: Random): string =>
  random(9) === 0 ? "" : Array.from({ length: random(6) + 1 }, () => pieces[random(pieces.length)]).join("");
