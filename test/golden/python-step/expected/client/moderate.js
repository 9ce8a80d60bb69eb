// Written by `pipeline build` from `moderate`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const moderateContract = {
  name: "moderate",
  hash: "f1ce38f97719c8830b542e9d4ecf76438596eb038ddcc837f0129aa0d5a5304d",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    percent: { dtype: "FP32", dims: ["batch", 1] },
    flagged: { dtype: "BOOL", dims: ["batch", 1] },
    reversed: { dtype: "BYTES", dims: ["batch", 1] },
  },
};

/**
 * A client of `moderate` over HTTP, in browsers and Node: `moderateClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: moderateContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const moderateClient = (options) => createHttpClient({ ...options, ensemble: moderateContract });
