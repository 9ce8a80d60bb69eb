// Written by `pipeline build` from `distance`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const distanceContract = {
  name: "distance",
  hash: "a26e500a419235baa6fb9d56d38676dc0ca27b93197366acbcba24769be1cef7",
  inputs: {
    left: { dtype: "BYTES", dims: ["batch", 1] },
    right: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    distance: { dtype: "FP32", dims: ["batch", 1] },
  },
};

/**
 * A client of `distance` over HTTP, in browsers and Node: `distanceClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: distanceContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const distanceClient = (options) => createHttpClient({ ...options, ensemble: distanceContract });
