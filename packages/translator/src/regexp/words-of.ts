import { caseClosure } from "./case-closure.ts";
import { type CodeSet, wordCharacters } from "./code-set.ts";
import type { RegExpMode } from "./regexp-tree.ts";

/** The characters that `\w` matches. With flags `i` and `u`, these include the long s and the Kelvin sign. */
export const wordsOf = ({ ignoreCase, unicode }: RegExpMode): CodeSet =>
  ignoreCase && unicode ? caseClosure(wordCharacters, true) : wordCharacters;
