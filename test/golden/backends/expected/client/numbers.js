// Written by `pipeline build` from `numbers`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const numbersContract = {
  name: "numbers",
  hash: "387f4b58bee33f57b76e87f2bc95a9c172d3399039464802d410e1c205a36110",
  inputs: {
    x: { dtype: "FP32", dims: ["batch", 4] },
  },
  outputs: {
    eight: { dtype: "FP32", dims: ["batch", 4] },
    other: { dtype: "FP32", dims: ["batch", 4] },
  },
};

/**
 * A client of `numbers` over HTTP, in browsers and Node: `numbersClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: numbersContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const numbersClient = (options) => createHttpClient({ ...options, ensemble: numbersContract });
