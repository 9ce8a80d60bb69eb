import type { Signature } from "@tritype/core";

/** A step or ensemble of any signature. */
export interface AnyStep {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}
