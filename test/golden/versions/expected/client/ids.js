// Written by `pipeline build` from `ids`. Do not edit.
import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const idsContract = {
  name: "ids",
  hash: "611ee8b6d2c798ee105ed69a924cab429bee6c21bb051ff728fd540a6dc21ddf",
  inputs: {
    text: { dtype: "BYTES", dims: ["batch", 1] },
  },
  outputs: {
    input_ids: { dtype: "INT64", dims: ["batch", "seq"] },
    pinned: { dtype: "INT64", dims: ["batch", "seq"] },
  },
};

/**
 * A client of `ids` over HTTP, in browsers and Node: `idsClient({ url: "http://127.0.0.1:8000" })`. Over gRPC, in Node:
 * `createGrpcClient({ address: "127.0.0.1:8001", ensemble: idsContract })` of ./core/grpc.js, which needs @grpc/grpc-js.
 */
export const idsClient = (options) => createHttpClient({ ...options, ensemble: idsContract });
