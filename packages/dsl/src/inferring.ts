import type { Signature } from "@tritype/core";

/**
 * The type of a parameter from which `T` is inferred (through the first branch), even if `T` is a union. The argument is
 * checked against `As`, so unknown keys are errors.
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
