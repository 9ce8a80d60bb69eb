// Written by `pipeline build` from `distance`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `distance`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface DistanceInputs {
  /** BYTES[batch, 1] */
  readonly left: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** BYTES[batch, 1] */
  readonly right: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `distance`. */
export interface DistanceOutputs {
  /** FP32[batch, 1] */
  readonly distance: Tensor<"FP32", Float32Array, readonly [number, 1], readonly number[]>;
}

/** The contract between this client and the server. */
export declare const distanceContract: Contract<DistanceInputs, DistanceOutputs>;

/**
 * A client of `distance` over HTTP, in browsers and Node: `distanceClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: distanceContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const distanceClient: (options: HttpOptions) => Client<DistanceInputs, DistanceOutputs>;
