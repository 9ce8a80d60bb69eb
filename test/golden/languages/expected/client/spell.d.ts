// Written by `pipeline build` from `spell`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `spell`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface SpellInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** BYTES[batch, 1] */
  readonly source_language: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** BYTES[batch, 1] */
  readonly target_language: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `spell`. */
export interface SpellOutputs {
  /** BYTES[batch, 1] */
  readonly spelled: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
  /** BYTES[batch, 1] */
  readonly begins: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
}

/** The contract between this client and the server. */
export declare const spellContract: Contract<SpellInputs, SpellOutputs>;

/**
 * A client of `spell` over HTTP, in browsers and Node: `spellClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: spellContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const spellClient: (options: HttpOptions) => Client<SpellInputs, SpellOutputs>;
