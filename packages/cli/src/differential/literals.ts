import { attempt } from "@tritype/core";

/** Texts and numbers that a function compares with, splits at or looks up. */
export interface Literals {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

/**
 * The literals of an ES module that the translator printed; the text that a regular expression matches counts as a
 * literal.
 */
export const literalsOf = (module: string): Literals => {
  const texts = new Set<string>();
  const numbers = new Set<number>();
  for (const [, double, single, pattern, number] of module.matchAll(literal)) {
    const text = double ?? single;
    if (text !== undefined) texts.add(unescaped(text));
    if (pattern !== undefined) for (const [word] of pattern.matchAll(/[\p{L}\p{N}_]+/gu)) texts.add(word);
    if (number !== undefined) numbers.add(Number(number));
  }
  return { texts: [...texts], numbers: [...numbers].filter(Number.isFinite) };
};

const literal =
  /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\/((?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.)*)\/[a-z]*|(?<![\w$.])(\d+(?:\.\d+)?(?:e-?\d+)?)/g;

const unescaped = (text: string): string =>
  attempt(() => JSON.parse(`"${text.replaceAll(/\\'/g, "'").replaceAll(/(?<!\\)"/g, '\\"')}"`) as string) ??
  text;
