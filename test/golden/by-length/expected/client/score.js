// Written by `pipeline build` from `score`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const scoreContract = {
  name: "score",
  hash: "45cb57a77cf898319294ca8de444cff521bdc9c192e7c72650e10aa81ae560f4",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    embedding: { dtype: "FP32", dims: ["batch", 8] },
    largest: { dtype: "FP32", dims: ["batch", 1] },
  },
};

/**
 * A client of `score` over HTTP, in browsers and Node: `scoreClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: scoreContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const scoreClient = (options) => createHttpClient({ ...options, ensemble: scoreContract });
