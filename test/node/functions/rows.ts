/** Strings that break functions: empty, huge, half of a surrogate pair, names of prototypes, text that looks like a number. */
export const strings: readonly string[] = [
  "",
  " ",
  "a",
  "The quick brown fox, who is 7 years old, jumps over 13 lazy dogs.",
  "naïve café — e\u0301 vs é",
  "ＡＢＣ １２３ ﬁ",
  "\ud800",
  "a\udc00b",
  "😀 👩‍👩‍👧‍👦 🇩🇪 👍🏽",
  "İstanbul ß ſ K ς",
  "\u0000\u0007\u001b[31m",
  "first\r\nsecond\u2028third\tfourth\u00a0fifth\ufeff",
  "constructor __proto__ toString hasOwnProperty",
  "__proto__",
  "NaN -0 Infinity 1e400 0x1F 9007199254740993",
  "<b onclick='x()'>R&amp;D</b> &lt; $& $1 $$ $<name>",
  "%E0%A4%A %20+%zz",
  "مرحبا بالعالم שלום",
  "日本語のテキスト、한국어 텍스트。",
  'say "hi", \\"bye\\", `now`',
  "a,b;c\td|e".repeat(40),
  "ab".repeat(3000),
  "([{<".repeat(60),
  "x@y.zz first.last+tag@sub.example.co.uk @@ a@b",
  "2026-02-29T24:00:00Z 12/31/99 1.234,56 €",
];

/** Numbers at the limits of what doubles can hold; strings where JSON has no such number. */
export const numbers: readonly (number | string)[] = [
  0,
  "-0",
  1,
  -1,
  0.1,
  2.5,
  -2.5,
  1e-7,
  5e-324,
  1.005,
  0.30000000000000004,
  123456.789,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32 + 0.5,
  Number.MAX_SAFE_INTEGER,
  2 ** 53 + 2,
  1e21,
  1.7976931348623157e308,
  "NaN",
  "Infinity",
  "-Infinity",
  "",
  " 12 ",
  "0x1F",
  "1_000",
  "12px",
];

/** JSON that functions do not expect. */
export const strangers: readonly unknown[] = [
  null,
  true,
  0,
  "",
  [],
  {},
  [null],
  [[[]]],
  { length: 3 },
  { constructor: 1, toString: 2 },
  JSON.parse('{"__proto__": {"admin": true}}'),
];

/** Nested lists. */
export const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};
