// Written by `pipeline build` from `vector`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const vectorContract = {
  name: "vector",
  hash: "a275228f302d8b8c11f83f2a067de4a63b6ec7c87bbee7164d34de9ae4795ae3",
  inputs: {
    input_ids: { dtype: "INT64", dims: ["batch", "seq"] },
    attention_mask: { dtype: "INT64", dims: ["batch", "seq"] },
  },
  outputs: {
    embedding: { dtype: "FP32", dims: ["batch", 8] },
  },
};

/**
 * A client of `vector` over HTTP, in browsers and Node: `vectorClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: vectorContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const vectorClient = (options) => createHttpClient({ ...options, ensemble: vectorContract });
