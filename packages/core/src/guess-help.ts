import { didYouMean } from "./did-you-mean.ts";

/** The help for an unknown name: the nearest known one, or else `otherwise`. */
export const guessHelp = (name: string, known: readonly string[], otherwise: string): string => {
  const near = didYouMean(name, known);
  return near === undefined ? otherwise : `did you mean \`${near}\`?`;
};
