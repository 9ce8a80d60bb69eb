// Written by `pipeline build` from `embed`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const embedContract = {
  name: "embed",
  hash: "b8973661089ac4cf342835a482e398c9002a1a7e33d9e5f9fc0b96ccd730cef3",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    embedding: { dtype: "FP32", dims: ["batch", 8] },
  },
};

/**
 * A client of `embed` over HTTP, in browsers and Node: `embedClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: embedContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const embedClient = (options) => createHttpClient({ ...options, ensemble: embedContract });
