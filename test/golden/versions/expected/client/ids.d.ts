// Written by `pipeline build` from `ids`. Do not edit.
import type { Client, Contract, Elements, HttpOptions, Tensor } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of `ids`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface IdsInputs {
  /** BYTES[batch, 1] */
  readonly text: readonly (string | Uint8Array)[] | Elements<readonly (string | Uint8Array)[]>;
}

/** Outputs of `ids`. */
export interface IdsOutputs {
  /** INT64[batch, seq] */
  readonly input_ids: Tensor<"INT64", BigInt64Array, readonly [number, number], readonly (readonly bigint[])[]>;
  /** INT64[batch, seq] */
  readonly pinned: Tensor<"INT64", BigInt64Array, readonly [number, number], readonly (readonly bigint[])[]>;
}

/** The contract between this client and the server. */
export declare const idsContract: Contract<IdsInputs, IdsOutputs>;

/**
 * A client of `ids` over HTTP, in browsers and Node: `idsClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: idsContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export declare const idsClient: (options: HttpOptions) => Client<IdsInputs, IdsOutputs>;
