import { didYouMean } from "@tritype/core";

export type Suggest = (name: string, candidates: readonly string[]) => string | undefined;

/** Suggests names for a misspelt one, comparing a limited number of names to save time in large repositories. */
export const suggestions = (comparisons = 20_000): Suggest => {
  let left = comparisons;
  return (name, candidates) => {
    left -= candidates.length;
    return left < 0 ? undefined : didYouMean(name, candidates);
  };
};
