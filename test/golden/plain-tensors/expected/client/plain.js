// Written by `pipeline build` from `plain`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const plainContract = {
  name: "plain",
  hash: "de07c094184bcf52839d3de64d6d38ffb7ea3ab8050dce9fd1214dcf1e53d1e4",
  inputs: {
    x: { dtype: "FP32", dims: [2, "n"] },
    index: { dtype: "INT64", dims: ["k"] },
  },
  outputs: {
    joined: { dtype: "FP32", dims: [4, "k"] },
    again: { dtype: "FP32", dims: [4, "k"] },
    best: { dtype: "INT64", dims: [2] },
    same: { dtype: "FP32", dims: [2, "n"] },
    probabilities: { dtype: "FP32", dims: ["n", 2] },
  },
};

/**
 * A client of `plain` over HTTP, in browsers and Node: `plainClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: plainContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const plainClient = (options) => createHttpClient({ ...options, ensemble: plainContract });
