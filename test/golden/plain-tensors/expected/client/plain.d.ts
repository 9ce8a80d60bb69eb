// Written by `pipeline build` from `plain`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `plain`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface PlainInputs {
  /** FP32[2, n] */
  readonly x: readonly (readonly number[])[] | Elements<Float32Array | readonly number[]>;
  /** INT64[k] */
  readonly index: readonly (bigint | number)[] | Elements<BigInt64Array | readonly (bigint | number)[]>;
}

/** Outputs of `plain`. */
export interface PlainOutputs {
  /** FP32[4, k] */
  readonly joined: Tensor<"FP32", Float32Array, readonly [4, number], readonly (readonly number[])[]>;
  /** FP32[4, k] */
  readonly again: Tensor<"FP32", Float32Array, readonly [4, number], readonly (readonly number[])[]>;
  /** INT64[2] */
  readonly best: Tensor<"INT64", BigInt64Array, readonly [2], readonly bigint[]>;
  /** FP32[2, n] */
  readonly same: Tensor<"FP32", Float32Array, readonly [2, number], readonly (readonly number[])[]>;
  /** FP32[n, 2] */
  readonly probabilities: Tensor<"FP32", Float32Array, readonly [number, 2], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const plainContract: Contract<PlainInputs, PlainOutputs>;

/**
 * A client of `plain` over HTTP, in browsers and Node: `plainClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: plainContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const plainClient: (options: HttpOptions) => Client<PlainInputs, PlainOutputs>;
