// Written by `pipeline build` from `numbers`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `numbers`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface NumbersInputs {
  /** FP32[batch, 4] */
  readonly x: readonly (readonly number[])[] | Elements<Float32Array | readonly number[]>;
}

/** Outputs of `numbers`. */
export interface NumbersOutputs {
  /** FP32[batch, 4] */
  readonly eight: Tensor<"FP32", Float32Array, readonly [number, 4], readonly (readonly number[])[]>;
  /** FP32[batch, 4] */
  readonly other: Tensor<"FP32", Float32Array, readonly [number, 4], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const numbersContract: Contract<NumbersInputs, NumbersOutputs>;

/**
 * A client of `numbers` over HTTP, in browsers and Node: `numbersClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: numbersContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const numbersClient: (options: HttpOptions) => Client<NumbersInputs, NumbersOutputs>;
