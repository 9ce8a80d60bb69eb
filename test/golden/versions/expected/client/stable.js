// Written by `pipeline build` from `stable`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const stableContract = {
  name: "stable",
  hash: "511de33c6f5cdc32a7c1084f4d257f1406c007a76d7aaa84eae8ae110706f0f9",
  inputs: {
    x: { dtype: "FP32", dims: ["batch", 4] },
  },
  outputs: {
    y: { dtype: "FP32", dims: ["batch", 4] },
  },
};

/**
 * A client of `stable` over HTTP, in browsers and Node: `stableClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: stableContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const stableClient = (options) => createHttpClient({ ...options, ensemble: stableContract });
