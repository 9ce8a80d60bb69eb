// Written by `pipeline build` from `classify`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const classifyContract = {
  name: "classify",
  hash: "9b19574eab5d77836603aca32cf50eaa8d6cb73ae60ff25be5ae9a0ef732c073",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
    label: { dtype: "BYTES", dims: ["batch", 1] },
    score: { dtype: "FP32", dims: ["batch", 1] },
  },
  outputs: {
    cleaned: { dtype: "BYTES", dims: ["batch", 1] },
    words: { dtype: "INT64", dims: ["batch", 1] },
    answer: { dtype: "BYTES", dims: ["batch", 1] },
    line: { dtype: "BYTES", dims: ["batch", 1] },
  },
};

/**
 * A client of `classify` over HTTP, in browsers and Node: `classifyClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: classifyContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const classifyClient = (options) => createHttpClient({ ...options, ensemble: classifyContract });
