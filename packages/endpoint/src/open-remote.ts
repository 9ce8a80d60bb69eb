import type { ClientOptions, InferenceClient, StreamingClient } from "@tritype/client";
import { guessHelp, inBackticks, PipelineError, reworded } from "@tritype/core";
import type { Endpoint } from "./endpoint.ts";

/** A server, with its addresses: HTTP, gRPC or both. */
export interface Addresses {
  /** "http://localhost:8000" */
  readonly http: string | undefined;
  /** "localhost:8001" */
  readonly grpc: string | undefined;
}

/** A server at an address. */
export interface RemoteEndpoint extends Endpoint {
  readonly models: undefined;
  /** Queries that only a server supports: its name, its statistics. */
  readonly client: InferenceClient;
}

/** Uses HTTP if the server has it, and gRPC for streams; connects on the first request. */
export const openRemote = async (
  name: string,
  { http, grpc }: Partial<Addresses>,
  options?: ClientOptions,
): Promise<RemoteEndpoint> => {
  const { grpcClient, httpClient } = await import("@tritype/client");
  const streaming = grpc === undefined ? undefined : grpcClient(grpc, options);
  const client = http === undefined ? (streaming ?? grpcClient("", options)) : httpClient(http, options);
  return {
    name,
    models: undefined,
    client,
    metadata: async (model) => {
      try {
        return await client.modelMetadata(model);
      } catch (error) {
        throw await withKnownNames(error, model, client);
      }
    },
    config: async (model, version) => await client.modelConfig(model, version),
    infer: (model, inputs, version, signal) =>
      client.infer({ model, inputs, ...(version === undefined ? {} : { version }) }, signal),
    ...(streaming && {
      stream: (model, inputs, version, signal) =>
        streaming.stream({ model, inputs, ...(version === undefined ? {} : { version }) }, signal),
    }),
    close: async () => void (await Promise.all([client.close(), streaming?.close()])),
  };
};

/** The failure; if the server does not have the model, its help is the closest name that it has, or else all of them. */
const withKnownNames = async (
  error: unknown,
  model: string,
  client: Pick<InferenceClient, "repositoryIndex">,
): Promise<unknown> => {
  if (!PipelineError.is(error) || error.code !== "model/not-found") return error;
  // Not every server lists its models.
  const index = await client.repositoryIndex().catch(() => []);
  const names = [...new Set(index.map(({ name }) => name))];
  if (names.length === 0 || names.includes(model)) return error;
  const help = guessHelp(model, names, `the server has ${inBackticks(names.slice(0, mostListed))}`);
  return reworded(error, error.message, { cause: error, help });
};

const mostListed = 20;

/** A client for models that stream: servers send more than one response only over gRPC. @param address "localhost:8001" */
export const openStreaming = async (address: string, options?: ClientOptions): Promise<StreamingClient> =>
  (await import("@tritype/client")).grpcClient(address, options);
