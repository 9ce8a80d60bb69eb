// Written by `pipeline build` from `similarity`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `similarity`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface SimilarityInputs {
  /** BYTES[batch, 1] */
  readonly left: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
  /** BYTES[batch, 1] */
  readonly right: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `similarity`. */
export interface SimilarityOutputs {
  /** FP32[batch, 1] */
  readonly cosine: Tensor<"FP32", Float32Array, readonly [number, 1], readonly number[]>;
  /** BYTES[batch, 1] */
  readonly verdict: Tensor<"BYTES", readonly string[], readonly [number, 1], readonly string[]>;
}

/** The contract between this client and the server. */
export declare const similarityContract: Contract<SimilarityInputs, SimilarityOutputs>;

/**
 * A client of `similarity` over HTTP, in browsers and Node: `similarityClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: similarityContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const similarityClient: (options: HttpOptions) => Client<SimilarityInputs, SimilarityOutputs>;
