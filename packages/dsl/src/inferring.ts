import type { Signature } from "@tritype/core";

/**
 * For a parameter whose type argument `T` is inferred from what is passed (through the first branch), a union included, while
 * what is passed is held against `As`, so that unknown keys are errors.
 */
export type Inferring<T, As> = [T] extends [never] ? T : As;

/** All that is inferred of a step's options; the rest is checked only, so that a mistake there leaves the signature as it was written. */
export interface Signed {
  readonly inputs: Signature;
  readonly outputs: Signature;
}
