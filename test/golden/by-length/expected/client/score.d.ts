// Written by `pipeline build` from `score`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `score`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface ScoreInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `score`. */
export interface ScoreOutputs {
  /** FP32[batch, 8] */
  readonly embedding: Tensor<"FP32", Float32Array, readonly [number, 8], readonly (readonly number[])[]>;
  /** FP32[batch, 1] */
  readonly largest: Tensor<"FP32", Float32Array, readonly [number, 1], readonly number[]>;
}

/** The contract between this client and the server. */
export declare const scoreContract: Contract<ScoreInputs, ScoreOutputs>;

/**
 * A client of `score` over HTTP, in browsers and Node: `scoreClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: scoreContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const scoreClient: (options: HttpOptions) => Client<ScoreInputs, ScoreOutputs>;
