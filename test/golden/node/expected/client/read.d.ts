// Written by `pipeline build` from `read`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `read`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface ReadInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `read`. */
export interface ReadOutputs {
  /** BYTES[batch, 1] */
  readonly days: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
}

/** The contract between this client and the server. */
export declare const readContract: Contract<ReadInputs, ReadOutputs>;

/**
 * A client of `read` over HTTP, in browsers and Node: `readClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: readContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const readClient: (options: HttpOptions) => Client<ReadInputs, ReadOutputs>;
