import fc from "fast-check";
import type { Literals } from "./literals.ts";

/** Texts that programming languages treat differently. */
const odd: readonly string[] = [
  "",
  ..." |\u00a0|\u0085|\u200b|\ufeff|\u2028|\r\n|\t|\u001c|\0".split("|"),
  ..."İ ı ß ſ ﬁ Σ ΑΣ ς ǅ é e\u0301 \u212b 각 \u212a 😀 👩‍👩‍👧 🇩🇪 𝒳 \ud7ff \uffff 中文 שלום ١٢ ½ Ⅷ".split(" "),
  ..."0 -0 1e21 0x1f 1_000 Infinity NaN ٣ .5 5. +1 constructor __proto__ null undefined true".split(" "),
  ..."\" \\ ' {} [] $1 \\d %s a,b a-b_c <b>&amp;</b>".split(" "),
];

export const arbitraryText = ({ texts }: Literals): fc.Arbitrary<string> => {
  const pieces = fc.oneof(
    ...(texts.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...texts) }] : []),
    { weight: 2, arbitrary: fc.constantFrom(...odd) },
    { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.lorem({ maxCount: 3 }),
  );
  return fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(""));
};

export const arbitraryNumber = ({ numbers }: Literals, dtype: string): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -10, max: 100 }) },
    { weight: 2, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
    { weight: 2, arbitrary: dtype === "FP64" ? fc.double() : fc.float() },
    fc.constantFrom(0, -0, 0.5, 1.5, -0.5, 1e21, 1e-7, Infinity, -Infinity, Number.NaN),
    ...(numbers.length > 0 ? [fc.constantFrom(...numbers)] : []),
  );

export const arbitraryInteger = (
  { numbers }: Literals,
  dtype: string,
  [low, high]: readonly [bigint, bigint],
): fc.Arbitrary<number | bigint> => {
  const within = (value: bigint): bigint => (value < low ? low : value > high ? high : value);
  const near = numbers
    .filter(Number.isInteger)
    .flatMap((value) => [-1n, 0n, 1n].map((by) => BigInt(value) + by));
  const made = fc.oneof(
    { weight: 4, arbitrary: fc.bigInt({ min: -3n, max: 20n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: low, max: high }) },
    fc.constantFrom(low, high),
    ...(near.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...near) }] : []),
  );
  return made.map((value) => (dtype.endsWith("64") ? within(value) : Number(within(value))));
};
