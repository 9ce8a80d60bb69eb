import { hostileText, pick, type Random, upTo } from "../hostile.ts";
import { counts, type InputType, oneOf, records } from "../typed-inputs.ts";

const words =
  "the Cat b@c.de &amp; <b> </b> dog, x1 2024 3.14 - http://a.b/c?d=1 ÄÖ ﬁ 😀 O'Neil end. What? \n \t &#39; &lt; U.S. don't $& constructor".split(
    " ",
  );
const listOf = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: upTo(random, most) }, make);

/** Text with markup, addresses, numbers and punctuation, and occasionally a hostile piece. */
export const prose: InputType = {
  type: "string",
  make: (random) =>
    listOf(random, 14, () => (random() < 0.1 ? hostileText(random) : pick(random, words))).join(
      random() < 0.8 ? " " : "",
    ),
};
export const spokenWords: InputType = {
  type: "string[]",
  make: (random) => listOf(random, 8, () => pick(random, words)),
};
/** Logits, some of them NaN. */
export const scores: InputType = {
  type: "Float32Array",
  make: (random) =>
    Float32Array.from(listOf(random, 7, () => (random() < 0.1 ? Number.NaN : random() * 4 - 2))),
};
export const probabilities: InputType = {
  type: "number",
  make: (random) => (random() < 0.1 ? Number.NaN : random()),
};
export const tokenIds: InputType = {
  type: "BigInt64Array",
  make: (random) => BigInt64Array.from(listOf(random, 9, () => BigInt(upTo(random, 40)))),
};
export const mask: InputType = {
  type: "Int32Array",
  make: (random) => Int32Array.from(listOf(random, 9, () => upTo(random, 6))),
};
export const table: InputType = {
  type: "{ data: Float32Array; shape: readonly number[] }",
  make(random) {
    const shape = [upTo(random, 4), upTo(random, 4)];
    const size = (shape[0] ?? 0) * (shape[1] ?? 0);
    return { data: Float32Array.from({ length: size }, () => random() * 2 - 1), shape };
  },
};
export const isoCode: InputType = oneOf(
  "string",
  "en",
  "de",
  "fr_FR",
  "zh-Hans",
  "",
  "xx",
  "EN",
  "en-GB",
  "constructor",
);
export const span: InputType = records({
  start: counts,
  end: counts,
  label: oneOf("string", "PER", "LOC"),
  score: probabilities,
});
