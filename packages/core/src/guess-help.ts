import { didYouMean } from "./did-you-mean.ts";

/** The help text for an unknown name: suggests the closest known name, or returns `otherwise`. */
export const guessHelp = (name: string, known: readonly string[], otherwise: string): string => {
  const near = didYouMean(name, known);
  return near === undefined ? otherwise : `did you mean \`${near}\`?`;
};
