// Written by `pipeline build` from `embed`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const embedContract = {
  name: "embed",
  hash: "ac5067d986d77bceea1d1687a234ada0a07feeb7e9cb6248b2cb5f250ef78fb8",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    last_hidden_state: { dtype: "FP32", dims: ["batch", 16, 8] },
    embedding: { dtype: "FP32", dims: ["batch", 8] },
  },
};

/**
 * A client of `embed` over HTTP, in browsers and Node: `embedClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: embedContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const embedClient = (options) => createHttpClient({ ...options, ensemble: embedContract });
