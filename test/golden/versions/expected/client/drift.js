// Written by `pipeline build` from `drift`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const driftContract = {
  name: "drift",
  hash: "110e7dcf502b84a43193f8ae2fb85d4564d445637d116e24d49b29831c59fc29",
  inputs: {
    x: { dtype: "FP32", dims: ["batch", 4] },
  },
  outputs: {
    change: { dtype: "FP32", dims: ["batch", 4] },
    latest: { dtype: "FP32", dims: ["batch", 4] },
  },
};

/**
 * A client of `drift` over HTTP, in browsers and Node: `driftClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: driftContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const driftClient = (options) => createHttpClient({ ...options, ensemble: driftContract });
