import { Buffer } from "node:buffer";

/** Pseudorandom numbers in [0, n), the same in every run. */
const makeRandom = (seed: number): ((n: number) => number) => {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
};

/** Ranges of code points that tokenizers treat specially. */
const ranges: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x52f],
  [0x590, 0x6ff],
  [0x900, 0xdff],
  [0xe00, 0xfff],
  [0x1100, 0x11ff],
  [0x1e00, 0x1eff],
  [0x2000, 0x206f],
  [0x2070, 0x20ff],
  [0x2e80, 0x30ff],
  [0x4e00, 0x9fff],
  [0xa000, 0xabff],
  [0xac00, 0xd7af],
  [0xe000, 0xf8ff],
  [0xf900, 0xfdff],
  [0xfe00, 0xffff],
  [0x10000, 0x10fff],
  [0x16f00, 0x18aff],
  [0x1d100, 0x1d7ff],
  [0x1f300, 0x1faff],
  [0x20000, 0x2fa1f],
  [0x30000, 0x323af],
  [0xe0000, 0xe01ef],
  [0xf0000, 0x10ffff],
];

/** Sequences with a special meaning as a whole. */
const pieces: readonly string[] = [
  "hello",
  "The quick brown fox",
  "unbelievably",
  "[CLS]",
  "[SEP]",
  "[UNK]",
  "<s>",
  "</s>",
  "<pad>",
  "<mask>",
  "tritype",
  "##ing",
  "\u2581",
  "Ġ",
  "東京は日本の首都です",
  "我们明天见",
  "𠀀𠮷𪚥𫝀",
  "ｶﾞｷﾞｸﾞ",
  "가나다",
  "\u1100\u1161\u11a8",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "👍🏽",
  "🇩🇪🇫🇷",
  "e\u0301\u0323\u0307",
  "Z\u0351\u036b\u0343a\u0342l\u0308g\u0321o\u0334",
  "שָׁלוֹם",
  "السَّلَامُ عَلَيْكُمْ",
  "\u202eabc\u202c",
  "क्षत्रिय",
  "กำลัง",
  "ǅ ǆ ß ẞ ﬁ ﬃ İ ı ſ K Å",
  "①②③ ㍿ ½ x²",
  "\u0000",
  "\ufffd",
  "\ufeff",
  "\u00ad",
  "\u200b",
  "\u200d",
  "\u180e",
  "\u0085",
  "\u2028\u2029",
  " \t\r\n\v\f",
  "\u00a0\u3000\u2003",
  "don't can't I'll",
  "3.14159 1,000,000 0x1F",
  "https://example.com/a?b=c&d=%20#e",
  "a".repeat(300),
  '{"a": [1, 2]}',
  "\\ud800 \\u0000",
];

/** Bytes that are not UTF-8: stray and missing continuations, overlong forms, surrogates, past U+10FFFF. */
const invalid: readonly (readonly number[])[] = [
  [0x80],
  [0xff],
  [0xc0, 0x80],
  [0xc3],
  [0xe0, 0x80, 0x80],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
];

/**
 * 2,000 strings that tokenizers often get wrong, as bytes; the same in every run. About one in forty is not valid
 * UTF-8.
 * @param longest The bytes of four long texts.
 */
export const hostileStrings = (count = 2000, longest = 100_000): readonly Uint8Array[] => {
  const random = makeRandom(20261121);
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const fromRange = (): string => {
    const [from, to] = pick(ranges);
    return String.fromCodePoint(...Array.from({ length: 1 + random(6) }, () => from + random(to - from + 1)));
  };
  const glue = ["", "", " ", "  ", "\n", ".", "-"];
  const text = (parts: number): string =>
    Array.from({ length: parts }, () => (random(2) === 0 ? pick(pieces) : fromRange()) + pick(glue)).join("");
  const strings: Uint8Array[] = ["", " ", "\n", "\u0000", "\u0000\u0000", "\ufffd", "\ufeff", ...pieces].map(
    (it) => Buffer.from(it),
  );
  for (const bytes of invalid) strings.push(Uint8Array.from(bytes));
  for (const part of ["word ", "東京", "x", "👩‍👩‍👧‍👦 e\u0301 "])
    strings.push(Buffer.from(part.repeat(Math.ceil(longest / Buffer.byteLength(part)))));
  while (strings.length < count) {
    const bytes = Buffer.from(text(1 + random(12)));
    if (random(50) > 0) strings.push(bytes);
    else {
      const at = random(bytes.length + 1);
      strings.push(
        Buffer.concat([bytes.subarray(0, at), Uint8Array.from(pick(invalid)), bytes.subarray(at)]),
      );
    }
  }
  return strings;
};
