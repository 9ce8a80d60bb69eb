import type { ClientOptions, InferenceClient } from "@tritype/client";
import type { Endpoint } from "./endpoint.ts";

/** A server, reached at its addresses: HTTP, gRPC or both. */
export interface Addresses {
  /** "http://localhost:8000" */
  readonly http: string | undefined;
  /** "localhost:8001" */
  readonly grpc: string | undefined;
}

/** A server at an address. */
export interface RemoteEndpoint extends Endpoint {
  readonly models: undefined;
  /** What only a server is asked: its name, its statistics. */
  readonly client: InferenceClient;
}

/** Asks over HTTP where the server has that; connects at the first request. */
export const openRemote = async (
  name: string,
  { http, grpc }: Partial<Addresses>,
  options?: ClientOptions,
): Promise<RemoteEndpoint> => {
  const { grpcClient, httpClient } = await import("@tritype/client");
  const client = http === undefined ? grpcClient(grpc ?? "", options) : httpClient(http, options);
  return {
    name,
    models: undefined,
    client,
    metadata: (model) => client.modelMetadata(model),
    config: async (model, version) => await client.modelConfig(model, version),
    infer: (model, inputs, version) =>
      client.infer({ model, inputs, ...(version === undefined ? {} : { version }) }),
    close: () => client.close(),
  };
};
