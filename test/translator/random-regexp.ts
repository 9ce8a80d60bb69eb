import { pick, type Random, upTo } from "./hostile.ts";

/** A random regular expression with few different characters, so that short texts often match. */
export const randomRegExp = (random: Random): RegExp => {
  const flags = pick(random, ["", "", "", "i", "i", "m", "s", "u", "u", "u", "mu", "iu", "iu"]);
  for (;;) {
    const source = alternatives(random, 3);
    try {
      return new RegExp(source, flags);
    } catch {
      // Not every random text is a regular expression.
    }
  }
};

const alternatives = (random: Random, depth: number): string =>
  Array.from({ length: pick(random, [1, 1, 1, 2, 3]) }, () => sequence(random, depth)).join("|");

const sequence = (random: Random, depth: number): string =>
  Array.from({ length: pick(random, [0, 1, 1, 2, 3, 4]) }, () => item(random, depth)).join("");

const item = (random: Random, depth: number): string => {
  const atom = depth > 0 && random() < 0.4 ? group(random, depth - 1) : pick(random, atoms);
  return atom + (random() < 0.3 ? pick(random, counts) : "");
};

const group = (random: Random, depth: number): string =>
  `(${pick(random, ["", "", "?:", "?:", "?=", "?!", "?<=", "?<!", `?<g${upTo(random, 1e6)}>`])}${alternatives(random, depth)})`;

const atoms = [
  "a",
  "b",
  "c",
  "A",
  "B",
  "\\d",
  "\\w",
  "\\s",
  "\\D",
  "\\W",
  "\\S",
  ".",
  "^",
  "$",
  "\\b",
  "\\B",
  "[ab]",
  "[^ab]",
  "[a-cB]",
  "[^\\w]",
  "[\\d\\s]",
  "[^\\d]",
  "\\1",
  "é",
  "[é-ÿ]",
  "😀",
  "[^a😀]",
  "\\ud83d",
  "[\\ud83d]",
  "[^]",
  "-",
  "\\n",
  "\\u212a",
  "[^k]",
  "s",
  "\\p{Lu}",
  "\\P{Ll}",
]; // prettier-ignore
const counts = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{1,2}?", "{0}"];

const pieces = [
  "a",
  "b",
  "c",
  "A",
  "B",
  "1",
  " ",
  "_",
  "-",
  "\n",
  "\r",
  "\u2028",
  "é",
  "É",
  "ÿ",
  "Ÿ",
  "😀",
  "\ud83d",
  "\ude00",
  "k",
  "K",
  "\u212a",
  "s",
  "\u017f",
  "\u{10400}",
  "\u{10428}",
  "ab",
]; // prettier-ignore

export const randomSubject = (random: Random): string =>
  Array.from({ length: upTo(random, 7) }, () => pick(random, pieces)).join("");
