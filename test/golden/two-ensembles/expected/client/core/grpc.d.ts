// Tritype's typed client, beside the clients that `pipeline build` writes. Do not edit.
// SPDX-License-Identifier: Apache-2.0
import { type ChannelCredentials } from "@grpc/grpc-js";
import type { Contract, Client, ClientOptions } from "./kserve.js";

/** Settings of a client over gRPC. */
export interface GrpcOptions extends GrpcServer, ClientOptions {}

/** A client of one ensemble over gRPC, in Node. `close` it at the end. */
export declare const createGrpcClient: <Inputs, Outputs>(
  options: GrpcOptions & {
    readonly ensemble: Contract<Inputs, Outputs> | string;
  },
) => Client<Inputs, Outputs>;

/** Where a server is over gRPC, and how to reach it. */
interface GrpcServer {
  /** `127.0.0.1:8001` */
  readonly address: string;
  /** Default: unencrypted. */
  readonly credentials?: ChannelCredentials;
  /** Headers of every request, such as `authorization`; a function is asked before each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
}
export {};
