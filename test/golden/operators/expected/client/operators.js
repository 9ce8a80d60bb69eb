// Written by `pipeline build` from `operators`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const operatorsContract = {
  name: "operators",
  hash: "986429ef323aed56615a4fee0e093b1f4724d37724fc4905d3dd9ff3bcab6446",
  inputs: {
    hidden: { dtype: "FP32", dims: ["batch", "seq", 4] },
    kind: { dtype: "BYTES", dims: ["batch", 1] },
    code: { dtype: "INT32", dims: ["batch", "n"] },
  },
  outputs: {
    energy: { dtype: "FP32", dims: ["batch", "seq"] },
    padded: { dtype: "FP32", dims: ["batch", -1, 6] },
    best: { dtype: "INT64", dims: ["batch", "seq", 1] },
    weight: { dtype: "FP32", dims: ["batch", 1] },
    name: { dtype: "BYTES", dims: ["batch", "n"] },
    hot: { dtype: "INT32", dims: ["batch", "n", 3] },
    odd: { dtype: "BOOL", dims: ["batch", "n"] },
    least: { dtype: "INT64", dims: ["batch", 1] },
  },
};

/**
 * A client of `operators` over HTTP, in browsers and Node: `operatorsClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: operatorsContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const operatorsClient = (options) => createHttpClient({ ...options, ensemble: operatorsContract });
