// Written by `pipeline build` from `moderate`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `moderate`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface ModerateInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `moderate`. */
export interface ModerateOutputs {
  /** FP32[batch, 1] */
  readonly percent: Tensor<"FP32", Float32Array, readonly [number, 1], readonly number[]>;
  /** BOOL[batch, 1] */
  readonly flagged: Tensor<"BOOL", readonly boolean[], readonly [number, 1], readonly boolean[]>;
  /** BYTES[batch, 1] */
  readonly reversed: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
}

/** The contract between this client and the server. */
export declare const moderateContract: Contract<ModerateInputs, ModerateOutputs>;

/**
 * A client of `moderate` over HTTP, in browsers and Node: `moderateClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: moderateContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const moderateClient: (options: HttpOptions) => Client<ModerateInputs, ModerateOutputs>;
