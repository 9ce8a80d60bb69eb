import type { Signature } from "@tritype/core";

/** A step or ensemble with any signature. */
export interface AnyStep {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}
