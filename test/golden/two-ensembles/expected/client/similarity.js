// Written by `pipeline build` from `similarity`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const similarityContract = {
  name: "similarity",
  hash: "08ca98f057cbc572da00c85185df23528e0fc0600927e125578914ed13199d8e",
  inputs: {
    left: { dtype: "BYTES", dims: ["batch", 1] },
    right: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    cosine: { dtype: "FP32", dims: ["batch", 1] },
    verdict: { dtype: "BYTES", dims: ["batch", 1] },
  },
};

/**
 * A client of `similarity` over HTTP, in browsers and Node: `similarityClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: similarityContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const similarityClient = (options) => createHttpClient({ ...options, ensemble: similarityContract });
