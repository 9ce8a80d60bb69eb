// Written by `pipeline build` from `embed_query`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const embed_queryContract = {
  name: "embed_query",
  hash: "442f7d2d17ddebca3473f89cbbd28dc32c51cd07687f264922dcba000e1f8a4d",
  inputs: {
    question: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    query: { dtype: "FP32", dims: ["batch", 8] },
  },
};

/**
 * A client of `embed_query` over HTTP, in browsers and Node: `embed_queryClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: embed_queryContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const embed_queryClient = (options) => createHttpClient({ ...options, ensemble: embed_queryContract });
