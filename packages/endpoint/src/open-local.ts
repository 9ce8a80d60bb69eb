import type { InferRequest, Runtime, RuntimeOptions } from "@tritype/runtime";
import type { Endpoint } from "./endpoint.ts";

/** The local runtime, in this process. */
export interface LocalEndpoint extends Endpoint {
  readonly models: readonly string[];
  readonly runtime: Runtime;
}

/** A runtime that records requests from the models' code to other models. */
export interface ListenedEndpoint extends LocalEndpoint {
  /** The recorded requests since the previous call, in order. */
  takeModelCalls(): readonly InferRequest[];
}

/** Serves a repository. Models that cannot be served are unavailable; `refuseUnserved` makes them an error. */
export const openLocal = async (name: string, options: RuntimeOptions): Promise<LocalEndpoint> => {
  const { startRuntime } = await import("@tritype/runtime");
  const runtime = await startRuntime(options);
  return {
    name,
    models: [...new Set(runtime.models().map((model) => model.name))],
    runtime,
    metadata: async (model) => runtime.modelMetadata(model),
    config: async (model, version) => runtime.modelConfig(model, version),
    infer: async (model, inputs, version, signal) =>
      (await runtime.infer({ model, ...(version === undefined ? {} : { version }), id: "", inputs }, signal))
        .outputs,
    async *stream(model, inputs, version, signal) {
      const request = { model, ...(version === undefined ? {} : { version }), id: "", inputs };
      for await (const { response, error } of runtime.stream(request, signal)) {
        if (error !== undefined) throw error;
        if (response !== undefined) yield response.outputs;
      }
    },
    close: () => runtime.close(),
  };
};

export const openListened = async (
  name: string,
  options: Omit<RuntimeOptions, "onModelCall">,
): Promise<ListenedEndpoint> => {
  const modelCalls: InferRequest[] = [];
  const onModelCall = (request: InferRequest): void => void modelCalls.push(request);
  const local = await openLocal(name, { ...options, onModelCall });
  return { ...local, takeModelCalls: () => modelCalls.splice(0) };
};
