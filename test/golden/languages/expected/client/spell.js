// Written by `pipeline build` from `spell`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const spellContract = {
  name: "spell",
  hash: "022a96560b552e7f8d83fc17517858efe48bd60fff314314e9bc3edf9715b79c",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
    source_language: { dtype: "BYTES", dims: ["batch", 1] },
    target_language: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    spelled: { dtype: "BYTES", dims: ["batch", 1] },
    begins: { dtype: "BYTES", dims: ["batch", 1] },
  },
};

/**
 * A client of `spell` over HTTP, in browsers and Node: `spellClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: spellContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const spellClient = (options) => createHttpClient({ ...options, ensemble: spellContract });
