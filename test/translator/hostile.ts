/** A seeded generator of numbers, the same on every machine. */
export type Random = () => number;

/** Mulberry32: uniform in [0, 1). */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;
export const upTo = (random: Random, last: number): number => Math.floor(random() * (last + 1));

const numbers = [
  0,
  -0,
  1,
  -1,
  2,
  3,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  0.1,
  1.005,
  1e21,
  1e-7,
  2 ** 67,
  0.000001,
  5e-324,
  1.7976931348623157e308,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 53 - 1,
  0.49999999999999994,
  2 ** 52 + 1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

export const hostileNumber = (random: Random): number => {
  const doubles = new Float64Array(1);
  switch (upTo(random, 7)) {
    case 0:
    case 1:
      return pick(random, numbers);
    case 2:
    case 3:
      return upTo(random, 20) - 5;
    case 4:
      return Math.round((random() - 0.5) * 2000) / pick(random, [1, 2, 4, 8, 10, 100, 1000]);
    case 5:
      return (random() - 0.5) * 10 ** (upTo(random, 44) - 20);
    case 6:
      return Math.round((random() - 0.5) * 2 ** 54);
    default:
      new Uint32Array(doubles.buffer).set([random() * 2 ** 32, random() * 2 ** 32]);
      return doubles[0] ?? 0;
  }
};

const pieces = [
  "a",
  "b",
  "A",
  "Z",
  "ab",
  " ",
  "  ",
  "\t",
  "\n",
  "\r\n",
  ",",
  ".",
  "-",
  "_",
  "0",
  "7",
  "12",
  "$1",
  "$&",
  '"',
  "\\",
  "'",
  "\0",
  "\u001c",
  "\u001f",
  "\u0085",
  "\u00a0",
  "\u00df",
  "\u00e9",
  "e\u0301",
  "\u0130",
  "\u0131",
  "\u017f",
  "\u03a3",
  "\u03c3",
  "\u03c2",
  "\u00b5",
  "\u1e9e",
  "\u2028",
  "\u2029",
  "\u200b",
  "\ufeff",
  "\uffff",
  "\ufb01",
  "\uff12",
  "\u0663",
  "\u4e2d",
  "\ud83d\ude00",
  "\ud835\udc00",
  "\ud801\udc00",
  "\ud800",
  "\udc00",
  "\udfff",
  "\u0000",
  "constructor",
  "true",
  "{}",
];

export const hostileText = (random: Random): string => {
  const length = pick(random, [0, 1, 1, 2, 3, 5, 9]);
  const alphabet = random() < 0.3 ? pieces.slice(0, 12) : pieces;
  return Array.from({ length }, () => pick(random, alphabet)).join("");
};

const numberTexts = [
  "0",
  "1",
  "-1",
  "+1",
  "12.5",
  ".5",
  "5.",
  "-.5e3",
  "1e400",
  "-1e400",
  "1e-400",
  "0x1f",
  "0X1F",
  "-0x1",
  "0b101",
  "0o17",
  "0b2",
  "Infinity",
  "-Infinity",
  "infinity",
  "NaN",
  "1_000",
  "１２",
  "٣",
  "1e",
  "1e+",
  "--1",
  "-",
  "",
  " ",
  "9007199254740993",
  "123abc",
  "0x",
  "1n",
  "00012",
  "-0",
  "12 34",
  "1.2.3",
  "\u0661",
  "z",
  "10110",
  "777",
  "deadBEEF",
  "99999999999999999999999",
]; // prettier-ignore

export const hostileNumberText = (random: Random): string =>
  random() < 0.15
    ? hostileText(random)
    : `${pick(random, ["", "", "", " ", "\n\t", "\ufeff", "\u0085", "\u001c", "\0"])}${random() < 0.3 ? String(hostileNumber(random)) : pick(random, numberTexts)}${pick(random, ["", "", "", " ", "\u00a0", "\u001f", "x", "."])}`;

export const hostileBigint = (random: Random): bigint => {
  const size = BigInt(pick(random, [1, 3, 10, 2 ** 31, 2 ** 53]));
  const n =
    (BigInt(upTo(random, 2 ** 31)) % (size + 1n)) +
    (random() < 0.3 ? pick(random, [2n ** 63n, 2n ** 64n, 2n ** 53n, 2n ** 31n]) : 0n);
  return random() < 0.5 ? -n : n;
};

export const listOf = <T>(random: Random, make: (random: Random) => T, most = 6): T[] =>
  Array.from({ length: upTo(random, most) }, () => make(random));
