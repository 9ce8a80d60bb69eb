/**
 * The typed client from `tritype/client` over gRPC, for Node, based on @grpc/grpc-js.
 * @module
 */
import { credentials as channelCredentials } from "@grpc/grpc-js";
import type { ClientFor, Definition, EnsembleOption } from "./definition.ts";
import { createGrpcClient as openGrpcClient, type GrpcOptions } from "./grpc/create-grpc-client.ts";

export type { GrpcOptions } from "./grpc/create-grpc-client.ts";

/** Creates `credentials`, such as `credentials.createSsl()` for TLS. A client refuses those of a different copy of @grpc/grpc-js. */
export const credentials: typeof channelCredentials = channelCredentials;

/**
 * A gRPC client for one ensemble, typed by its definition: `createGrpcClient<typeof embed>({ address, ensemble: "embed"
 * })`. It only differs from the HTTP client in how it reaches the server. Call `close` when you are done.
 */
export const createGrpcClient = <E extends Definition = Definition>(
  options: GrpcOptions & EnsembleOption<E>,
): ClientFor<E> => openGrpcClient(options) as unknown as ClientFor<E>;
