import { type ClientOf, type ClientOptions, openClient } from "../client.ts";
import type { Contract } from "../contract.ts";
import { type GrpcServer, grpcTransport } from "./grpc-transport.ts";

/** Settings of a client over gRPC. */
export interface GrpcOptions extends GrpcServer, ClientOptions {}

/** A client of one ensemble over gRPC, in Node. `close` it at the end. */
export const createGrpcClient = <Inputs, Outputs, Streaming extends boolean = false>(
  options: GrpcOptions & { readonly ensemble: Contract<Inputs, Outputs, Streaming> | string },
): ClientOf<Inputs, Outputs, Streaming> => openClient(grpcTransport(options), options.ensemble, options);
