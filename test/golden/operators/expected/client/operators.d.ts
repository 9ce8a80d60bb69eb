// Written by `pipeline build` from `operators`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `operators`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface OperatorsInputs {
  /** FP32[batch, seq, 4] */
  readonly hidden: readonly (readonly (readonly number[])[])[] | Elements<Float32Array | readonly number[]>;
  /** BYTES[batch, 1] */
  readonly kind: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** INT32[batch, n] */
  readonly code: readonly (readonly number[])[] | Elements<Int32Array | readonly number[]>;
}

/** Outputs of `operators`. */
export interface OperatorsOutputs {
  /** FP32[batch, seq] */
  readonly energy: Tensor<"FP32", Float32Array, readonly [number, number], readonly (readonly number[])[]>;
  /** FP32[batch, -1, 6] */
  readonly padded: Tensor<"FP32", Float32Array, readonly [number, number, 6], readonly (readonly (readonly number[])[])[]>;
  /** INT64[batch, seq, 1] */
  readonly best: Tensor<"INT64", BigInt64Array, readonly [number, number, 1], readonly (readonly bigint[])[]>;
  /** FP32[batch, 1] */
  readonly weight: Tensor<"FP32", Float32Array, readonly [number, 1], readonly number[]>;
  /** BYTES[batch, n] */
  readonly name: Tensor<"BYTES", readonly string[], readonly [number, number], readonly (readonly string[])[]>;
  /** INT32[batch, n, 3] */
  readonly hot: Tensor<"INT32", Int32Array, readonly [number, number, 3], readonly (readonly (readonly number[])[])[]>;
  /** BOOL[batch, n] */
  readonly odd: Tensor<"BOOL", readonly boolean[], readonly [number, number], readonly (readonly boolean[])[]>;
  /** INT64[batch, 1] */
  readonly least: Tensor<"INT64", BigInt64Array, readonly [number, 1], readonly bigint[]>;
}

/** The contract between this client and the server. */
export declare const operatorsContract: Contract<OperatorsInputs, OperatorsOutputs>;

/**
 * A client of `operators` over HTTP, in browsers and Node: `operatorsClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: operatorsContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const operatorsClient: (options: HttpOptions) => Client<OperatorsInputs, OperatorsOutputs>;
