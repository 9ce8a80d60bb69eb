// Written by `pipeline build` from `classify`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `classify`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface ClassifyInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** BYTES[batch, 1] */
  readonly label: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** FP32[batch, 1] */
  readonly score: readonly number[] | Elements<Float32Array | readonly number[]>;
}

/** Outputs of `classify`. */
export interface ClassifyOutputs {
  /** BYTES[batch, 1] */
  readonly cleaned: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
  /** INT64[batch, 1] */
  readonly words: Tensor<"INT64", BigInt64Array, readonly [number, 1], readonly bigint[]>;
  /** BYTES[batch, 1] */
  readonly answer: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
  /** BYTES[batch, 1] */
  readonly line: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
}

/** The contract between this client and the server. */
export declare const classifyContract: Contract<ClassifyInputs, ClassifyOutputs>;

/**
 * A client of `classify` over HTTP, in browsers and Node: `classifyClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: classifyContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const classifyClient: (options: HttpOptions) => Client<ClassifyInputs, ClassifyOutputs>;
