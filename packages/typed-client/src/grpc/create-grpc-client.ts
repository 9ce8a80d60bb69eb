import { type ClientOf, type ClientOptions, openClient } from "../client.ts";
import type { Contract } from "../contract.ts";
import { type GrpcServer, grpcTransport } from "./grpc-transport.ts";

/** Settings for a gRPC client. */
export interface GrpcOptions extends GrpcServer, ClientOptions {}

/** A gRPC client for one ensemble, in Node. Call `close` when you are done. */
export const createGrpcClient = <Inputs, Outputs, Streaming extends boolean = false>(
  options: GrpcOptions & { readonly ensemble: Contract<Inputs, Outputs, Streaming> | string },
): ClientOf<Inputs, Outputs, Streaming> => openClient(grpcTransport(options), options.ensemble, options);
