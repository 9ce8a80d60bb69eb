import { foreignError, PipelineError } from "@tritype/core";
import {
  type GrpcInferRequest,
  grpcInferMessageSteps,
  grpcInferResponse,
  grpcMethod,
  grpcMethodNames,
  grpcReplySteps,
  type GrpcRepositoryParameters,
  type InferRequest,
  type Parameters,
  type SharedTensors,
  readGrpcInferRequest,
  readGrpcLoadParameters,
  readGrpcUnloadParameters,
} from "@tritype/protocol";
import type { CancelSignal, Runtime } from "@tritype/runtime";
import { withHeaders } from "./forwarded-headers.ts";
import { inSlices } from "./in-slices.ts";
import { refuseRepositoryName } from "./control-route.ts";
import { refuseDecoupled } from "./refuse-decoupled.ts";
import { repositoryIndex } from "./repository-index.ts";
import { parseVersion } from "./parse-version.ts";
import { printStatistics } from "./print-statistics.ts";
import { serverError } from "./errors.ts";
import type { Extensions } from "./extensions.ts";
import type { ServerTrace } from "./tracing/open-trace.ts";
import { logSettings, traceSettings } from "./settings/grpc-settings.ts";
import { sharedMemoryMethods } from "./shared-memory/grpc-shared-memory.ts";
import type { Regions } from "./shared-memory/regions.ts";
import { sizeOf } from "./size-of.ts";
import { openSharedRequest } from "./shared-memory/shared-request.ts";

interface Named {
  readonly name: string;
  readonly version: string;
}

interface IndexMessage {
  readonly repository_name: string;
  readonly ready: boolean;
}

interface ControlMessage {
  readonly repository_name: string;
  readonly model_name: string;
  readonly parameters: GrpcRepositoryParameters;
}

/** A call of a client. */
export interface GrpcCall {
  /** Aborted when the client disconnects. */
  readonly signal: CancelSignal;
  /** Headers that the model gets as parameters. */
  readonly headers: Parameters;
  /** Traces a request to this model if it should be traced. The caller ends the trace. */
  trace(model: string): ServerTrace | undefined;
}

/** Takes a decoded message and returns a plain object (for `ModelInfer`, both are bytes); throws the runtime's errors. */
type UnaryMethod = (
  runtime: Runtime,
  request: never,
  call: GrpcCall,
  extensions: Extensions,
) => object | Promise<object>;

/** Responds to a message of `grpcInferMessageSteps`. @param size Size of the message in bytes. */
export const inferMessage = async (
  runtime: Runtime,
  message: GrpcInferRequest,
  size: number,
  { signal, headers, trace: sample }: GrpcCall,
  { regions }: Extensions,
): Promise<object> => {
  const shared = openSharedRequest(regions, runtime);
  try {
    const read = await readInferRequest(message, size, signal, shared.tensors);
    const complete = withHeaders(await shared.withInputs(read, signal), headers);
    const trace = sample(message.model_name);
    const response = await runtime
      .infer(complete, signal, undefined, trace?.request)
      .catch(refuseSecondAnswer);
    const reply = grpcInferResponse(response, await shared.writeOutputs(response, signal));
    return await inSlices(grpcReplySteps(reply, false), sizeOf(response.outputs), signal);
  } finally {
    shared.end();
  }
};

/** Triton's text for a model that is not decoupled but answers twice. */
const refuseSecondAnswer = (error: unknown): never => {
  throw PipelineError.is(error) && error.reason === "model/answered-twice"
    ? foreignError("model/failed", "expected a single response, got 2", { cause: error })
    : error;
};

/** The request in a message of `grpcInferMessageSteps`. @param size Size of the message in bytes. */
export const readInferRequest = (
  message: GrpcInferRequest,
  size: number,
  signal: CancelSignal,
  shared: SharedTensors,
): InferRequest | Promise<InferRequest> => {
  const version = parseVersion(message.model_version);
  return inSlices(readGrpcInferRequest({ ...message, model_version: version ?? "" }, shared), size, signal);
};

/** The message in these bytes. @throws PipelineError as `grpcInferMessageSteps` does. */
export const readInferMessage = (
  bytes: Uint8Array,
  signal: CancelSignal,
): GrpcInferRequest | Promise<GrpcInferRequest> =>
  inSlices(grpcInferMessageSteps(bytes), bytes.byteLength, signal);

const supported: Readonly<Record<string, UnaryMethod>> = {
  ServerLive: ({ live }) => ({ live }),
  ServerReady: ({ ready }) => ({ ready }),
  ModelReady: (runtime, { name, version }: Named) => ({
    ready: runtime.modelReady(name, parseVersion(version)),
  }),
  ServerMetadata: (runtime) => runtime.serverMetadata(),
  ModelMetadata: (runtime, { name, version }: Named) => runtime.modelMetadata(name, parseVersion(version)),
  ModelConfig: (runtime, { name, version }: Named) => ({
    config: runtime.modelConfig(name, parseVersion(version)),
  }),
  ModelStatistics: (runtime, { name, version }: Named) =>
    printStatistics(runtime, name || undefined, parseVersion(version)),
  RepositoryIndex: async (runtime, { repository_name, ready }: IndexMessage) => {
    if (repository_name !== "") refuseRepositoryName();
    return { models: await repositoryIndex(runtime, ready) };
  },
  RepositoryModelLoad: async (runtime, { repository_name, model_name, parameters }: ControlMessage) => {
    if (repository_name !== "") refuseRepositoryName();
    await runtime.load(model_name, readGrpcLoadParameters(parameters));
    return {};
  },
  RepositoryModelUnload: async (runtime, { repository_name, model_name, parameters }: ControlMessage) => {
    if (repository_name !== "") refuseRepositoryName();
    await runtime.unload(model_name, readGrpcUnloadParameters(parameters));
    return {};
  },
  ...Object.fromEntries(
    Object.entries(sharedMemoryMethods).map(([name, method]) => [name, onRegions(method)]),
  ),
  LogSettings: (_, message: never, __, extensions) => logSettings(extensions, message),
  TraceSetting: (runtime, message: never, _, extensions) => traceSettings(runtime, extensions, message),
  ModelInfer: async (runtime, bytes: Uint8Array, call, extensions) => {
    const message = await readInferMessage(bytes, call.signal);
    refuseDecoupled(
      runtime,
      message.model_name,
      parseVersion(message.model_version),
      "ModelInfer RPC doesn't support models with decoupled transaction policy",
    );
    return inferMessage(runtime, message, bytes.byteLength, call, extensions);
  },
};

/** Every method of Triton's service that takes one message and returns one; unsupported methods return an error. */
export const unaryMethods: ReadonlyMap<string, UnaryMethod> = new Map(
  grpcMethodNames()
    .filter((name) => !grpcMethod(name).requestStream)
    .map((name) => [name, supported[name] ?? unsupported(name)] as const),
);

function unsupported(name: string): UnaryMethod {
  return () => {
    throw serverError("request/not-supported", { what: name });
  };
}

function onRegions(method: (regions: Regions, message: never) => object | Promise<object>): UnaryMethod {
  return (_, message, __, { regions }) => method(regions, message);
}
