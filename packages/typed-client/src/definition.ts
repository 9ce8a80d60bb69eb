import type { InferInputs, InferOutputs, Signature, Streaming } from "@tritype/dsl";
import type { AnyClient, ClientOf } from "./client.ts";

/** The type `typeof embed` of an ensemble, which the ensemble itself satisfies. */
export interface Definition {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}

/** The ensemble: its name, or the definition itself. */
export interface EnsembleOption<E extends Definition> {
  /**
   * With the ensemble's name, the client learns dtypes and shapes from the server on first use. With the ensemble
   * itself, the client compares it with the server's on first use.
   */
  readonly ensemble: E | E["name"];
}

/** The inputs of a request; anything if the definition is unknown, because then only the server can check them. */
export type InputsOf<E extends Definition> = string extends keyof E["inputs"]
  ? Readonly<Record<string, unknown>>
  : InferInputs<E>;

/**
 * The client for a definition: for an ensemble that streams, that does not stream, or that is known only by its name.
 */
export type ClientFor<E extends Definition> = string extends keyof E["outputs"]
  ? AnyClient<InputsOf<E>, InferOutputs<E>>
  : ClientOf<
      InputsOf<E>,
      InferOutputs<E>,
      [Extract<E["outputs"][keyof E["outputs"]], Streaming>] extends [never] ? false : true
    >;
