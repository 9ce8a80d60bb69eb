// Written by `pipeline build` from `embed_query`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `embed_query`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface Embed_queryInputs {
  /** BYTES[batch, 1] */
  readonly question: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `embed_query`. */
export interface Embed_queryOutputs {
  /** FP32[batch, 8] */
  readonly query: Tensor<"FP32", Float32Array, readonly [number, 8], readonly (readonly number[])[]>;
}

/** The contract between this client and the server. */
export declare const embed_queryContract: Contract<Embed_queryInputs, Embed_queryOutputs>;

/**
 * A client of `embed_query` over HTTP, in browsers and Node: `embed_queryClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: embed_queryContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const embed_queryClient: (options: HttpOptions) => Client<Embed_queryInputs, Embed_queryOutputs>;
