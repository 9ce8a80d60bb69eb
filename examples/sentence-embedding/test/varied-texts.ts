import { ordinarySentences } from "../../../test/tokenizer/ordinary-sentences.ts";
import { tripleTexts } from "./vectors.ts";

/** 40 texts: 25 languages, ten English sentences, and edge cases. */
export const variedTexts: readonly string[] = [
  ...ordinarySentences.filter((_, index) => index % 8 === 3),
  ...tripleTexts.filter((_, index) => index % 9 === 4),
  "",
  " \t\n ",
  "👩‍🚀 e\u0301 ﬁ Ⅷ — “quoted” <b>&amp;</b>",
  "the quick brown fox jumps over the lazy dog and ".repeat(26),
  "Donaudampfschifffahrtsgesellschaftskapitän ".repeat(90),
];
