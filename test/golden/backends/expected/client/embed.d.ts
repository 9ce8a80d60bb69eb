// Written by `pipeline build` from `embed`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `embed`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface EmbedInputs {
  /** INT64[batch, seq] */
  readonly input_ids: readonly (readonly (bigint | number)[])[] | Elements<BigInt64Array | readonly (bigint | number)[]>;
  /** INT64[batch, seq] */
  readonly attention_mask: readonly (readonly (bigint | number)[])[] | Elements<BigInt64Array | readonly (bigint | number)[]>;
}

/** Outputs of `embed`. */
export interface EmbedOutputs {
  /** FP32[batch, 8] */
  readonly embedding: Tensor<"FP32", Float32Array, readonly [number, 8], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const embedContract: Contract<EmbedInputs, EmbedOutputs>;

/**
 * A client of `embed` over HTTP, in browsers and Node: `embedClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: embedContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const embedClient: (options: HttpOptions) => Client<EmbedInputs, EmbedOutputs>;
