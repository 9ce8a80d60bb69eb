// Written by `pipeline build` from `stable`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `stable`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface StableInputs {
  /** FP32[batch, 4] */
  readonly x: readonly (readonly number[])[] | Elements<Float32Array | readonly number[]>;
}

/** Outputs of `stable`. */
export interface StableOutputs {
  /** FP32[batch, 4] */
  readonly y: Tensor<"FP32", Float32Array, readonly [number, 4], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const stableContract: Contract<StableInputs, StableOutputs>;

/**
 * A client of `stable` over HTTP, in browsers and Node: `stableClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: stableContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const stableClient: (options: HttpOptions) => Client<StableInputs, StableOutputs>;
