import type { Signature } from "@tritype/core";

/**
 * For a parameter whose type argument `T` is inferred from the argument (through the first branch), including unions, while the
 * argument is checked against `As`, so that unknown keys are errors.
 */
export type Inferring<T, As> = [T] extends [never] ? T : As;

/**
 * The part of a step's options that is inferred; the other options are only checked, so that a mistake in them does not change the
 * signature.
 */
export interface Signed {
  readonly inputs: Signature;
  readonly outputs: Signature;
}
