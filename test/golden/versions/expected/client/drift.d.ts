// Written by `pipeline build` from `drift`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `drift`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface DriftInputs {
  /** FP32[batch, 4] */
  readonly x: readonly (readonly number[])[] | Elements<Float32Array | readonly number[]>;
}

/** Outputs of `drift`. */
export interface DriftOutputs {
  /** FP32[batch, 4] */
  readonly change: Tensor<"FP32", Float32Array, readonly [number, 4], readonly (readonly number[])[]>;
  /** FP32[batch, 4] */
  readonly latest: Tensor<"FP32", Float32Array, readonly [number, 4], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const driftContract: Contract<DriftInputs, DriftOutputs>;

/**
 * A client of `drift` over HTTP, in browsers and Node: `driftClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: driftContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const driftClient: (options: HttpOptions) => Client<DriftInputs, DriftOutputs>;
