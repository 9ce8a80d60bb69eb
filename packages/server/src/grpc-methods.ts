import { PipelineError } from "@tritype/core";
import {
  type GrpcInferRequest,
  grpcInferResponse,
  grpcMethod,
  grpcMethodNames,
  type GrpcRepositoryParameters,
  readGrpcInferRequest,
  readGrpcLoadParameters,
  readGrpcUnloadParameters,
} from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import { refuseRepositoryName } from "./control-route.ts";
import { refuseDecoupled } from "./refuse-decoupled.ts";
import { repositoryIndex } from "./repository-index.ts";
import { printStatistics } from "./print-statistics.ts";

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

/** One decoded message in, one plain object out; throws what the runtime throws. */
type UnaryMethod = (runtime: Runtime, request: never) => object | Promise<object>;

/** An empty version means the latest. @throws PipelineError `request/invalid` for one that is no number. */
const versionOf = (version: string): string | undefined => {
  if (version === "") return undefined;
  if (/^\d+$/.test(version)) return String(BigInt(version));
  throw new PipelineError(
    "request/invalid",
    `failed to get model version from specified version string '${version}', version should be an integral value > 0`,
  );
};

export const inferMessage = async (runtime: Runtime, message: GrpcInferRequest): Promise<object> => {
  const version = versionOf(message.model_version);
  const request = readGrpcInferRequest({ ...message, model_version: version ?? "" });
  return grpcInferResponse(await runtime.infer(request));
};

const supported: Readonly<Record<string, UnaryMethod>> = {
  ServerLive: ({ live }) => ({ live }),
  ServerReady: ({ ready }) => ({ ready }),
  ModelReady: (runtime, { name, version }: Named) => ({
    ready: runtime.modelReady(name, versionOf(version)),
  }),
  ServerMetadata: (runtime) => runtime.serverMetadata(),
  ModelMetadata: (runtime, { name, version }: Named) => runtime.modelMetadata(name, versionOf(version)),
  ModelConfig: (runtime, { name, version }: Named) => ({
    config: runtime.modelConfig(name, versionOf(version)),
  }),
  ModelStatistics: (runtime, { name, version }: Named) =>
    printStatistics(runtime, name || undefined, versionOf(version)),
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
  ModelInfer: (runtime, message: GrpcInferRequest) => {
    refuseDecoupled(
      runtime,
      message.model_name,
      versionOf(message.model_version),
      "ModelInfer RPC doesn't support models with decoupled transaction policy",
    );
    return inferMessage(runtime, message);
  },
};

/** Every method of Triton's service that takes one message and gives one; those that this server lacks say so. */
export const unaryMethods: ReadonlyMap<string, UnaryMethod> = new Map(
  grpcMethodNames()
    .filter((name) => !grpcMethod(name).requestStream)
    .map((name) => [name, supported[name] ?? unsupported(name)] as const),
);

function unsupported(name: string): UnaryMethod {
  return () => {
    throw new PipelineError("request/unsupported", `${name} is not supported by this server`);
  };
}
