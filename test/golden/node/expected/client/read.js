// Written by `pipeline build` from `read`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const readContract = {
  name: "read",
  hash: "ec46d293dd2910cde530aeb63400e3a943a04d12c4833d93c8ac724f89294603",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    days: { dtype: "BYTES", dims: ["batch", 1] },
  },
};

/**
 * A client of `read` over HTTP, in browsers and Node: `readClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: readContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const readClient = (options) => createHttpClient({ ...options, ensemble: readContract });
