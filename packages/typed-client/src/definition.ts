import type { InferInputs, Signature } from "@tritype/dsl";

/** What `typeof embed` says of an ensemble; the ensemble itself is one. */
export interface Definition {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}

/** Which ensemble: by name, or the definition itself. */
export interface EnsembleOption<E extends Definition> {
  /**
   * The ensemble's name: the client learns dtypes and shapes from the server on first use. Or the ensemble itself: the client compares
   * it with the server's on first use.
   */
  readonly ensemble: E | string;
}

/** What a request takes; anything where the definition is not known, since only the server can say then. */
export type InputsOf<E extends Definition> = string extends keyof E["inputs"]
  ? Readonly<Record<string, unknown>>
  : InferInputs<E>;
