import { didYouMean } from "./did-you-mean.ts";

/** The help text for an unknown name: suggests the closest known name, or returns `otherwise`. */
export const guessHelp = (name: string, known: readonly string[], otherwise: string): string =>
  nearHelp(didYouMean(name, known)) ?? otherwise;

/** The help text for an unknown name, where `near` is a similar known name. */
export const nearHelp = (near: string | undefined): string | undefined =>
  near === undefined ? undefined : `did you mean \`${near}\`?`;
