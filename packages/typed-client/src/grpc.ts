/**
 * The typed client of `tritype/client` over gRPC, for Node, on @grpc/grpc-js.
 * @module
 */
import type { ClientFor, Definition, EnsembleOption } from "./definition.ts";
import { createGrpcClient as openGrpcClient, type GrpcOptions } from "./grpc/create-grpc-client.ts";

export type { GrpcOptions } from "./grpc/create-grpc-client.ts";

/**
 * A client of one ensemble over gRPC, typed by its definition: `createGrpcClient<typeof embed>({ address, ensemble: "embed" })`. It only differs from the HTTP client in how it reaches the server; `close` it at the end.
 */
export const createGrpcClient = <E extends Definition = Definition>(
  options: GrpcOptions & EnsembleOption<E>,
): ClientFor<E> => openGrpcClient(options) as unknown as ClientFor<E>;
