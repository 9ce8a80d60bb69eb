import { mapDefined, type NamedTensors } from "@tritype/core";
import type { Endpoint, LocalEndpoint } from "@tritype/endpoint";
import {
  createRecorder,
  type RecordedTensor,
  type Recording,
  type RecordLimits,
  type StepwiseRecording,
} from "@tritype/inspector";
import { type MemberCall, streamMembers } from "@tritype/project";
import type { RequestTrace } from "@tritype/runtime";
import { isDecoupled, type ModelConfig } from "@tritype/triton";

/** Every step of a request with its tensors; if a step fails, the steps up to it. */
export const recordSteps = async (
  endpoint: Endpoint | LocalEndpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Recording<RecordedTensor>> => {
  if ("runtime" in endpoint) return recordLocal(endpoint, model, inputs);
  const server: AskedServer = {
    config: (name, version) => endpoint.config(name, version),
    async *answers({ model: name, inputs: given, version }, streams) {
      if (streams && endpoint.stream !== undefined) yield* endpoint.stream(name, given, version);
      else yield await endpoint.infer(name, given, version);
    },
  };
  return (await recordMembers(server, { model, inputs }, everything)).recording;
};

/** Tensors of more than 2 GiB in one recording are not compared. */
const everything: RecordLimits = { bytes: 2 ** 31, calls: Infinity };

/** The local runtime records a request itself, including calls from code. */
const recordLocal = async (
  { runtime }: LocalEndpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Recording<RecordedTensor>> => {
  const recorder = createRecorder(everything);
  // A failure is part of the recording, even of a request that is refused.
  const messages = (): ReturnType<typeof runtime.stream> =>
    runtime.stream({ model, id: "", inputs }, undefined, undefined, recorder.trace);
  try {
    for await (const _ of messages());
  } catch {}
  return recorder.wholeRecording();
};

/** A server whose models are called one by one. */
export interface AskedServer {
  config(model: string, version?: string): Promise<ModelConfig>;
  /** The outputs of each response: exactly one, unless the model is decoupled. */
  answers(call: MemberCall, isDecoupled: boolean): AsyncIterable<NamedTensors>;
}

/**
 * A server does not show the tensors between its models, so each model gets the answers of the models before it. Never rejects: a failure
 * ends the recording.
 */
export const recordMembers = async (
  server: AskedServer,
  request: MemberCall,
  limits: RecordLimits = {},
  signal?: AbortSignal,
): Promise<StepwiseRecording> => {
  const recorder = createRecorder(limits);
  // A server without configurations has no ensembles. If a server does not respond, the request will fail as well.
  const configs: Record<string, Promise<ModelConfig> | undefined> = {};
  const configOf = (model: string, version?: string): Promise<ModelConfig> =>
    (configs[`${model} ${version}`] ??= server.config(model, version).catch(() => ({})));
  async function* ask(call: MemberCall, trace: RequestTrace): AsyncGenerator<NamedTensors, void> {
    const { model, version, inputs } = call;
    signal?.throwIfAborted();
    trace.accepted({ model, version: version ?? "", id: "", inputs });
    try {
      const config = await configOf(model, version);
      for await (const outputs of answers(call, config, trace)) {
        trace.responded(outputs);
        // Later models run before this loop continues; if one of them fails, the loop ends here.
        yield outputs;
        if (config.ensemble_scheduling === undefined && !isDecoupled(config)) return;
      }
    } catch (error) {
      trace.responded("error");
      throw error;
    }
    trace.ended(false);
  }
  async function* answers(
    call: MemberCall,
    config: ModelConfig,
    trace: RequestTrace,
  ): AsyncGenerator<NamedTensors, void> {
    if (config.ensemble_scheduling === undefined) {
      yield* server.answers(call, isDecoupled(config));
      return;
    }
    const names = (config.output ?? []).map(({ name = "" }) => name);
    const members = {
      answers: (member: MemberCall) => ask(member, trace.child()),
      streams: async (model: string, version?: string) => isDecoupled(await configOf(model, version)),
    };
    for await (const tensors of streamMembers(config, call.inputs, members))
      yield mapDefined(names, (name) => tensors.get(name));
  }
  try {
    for await (const _ of ask(request, recorder.trace));
    return { recording: recorder.wholeRecording() };
  } catch (failure) {
    return { recording: recorder.wholeRecording(), failure };
  }
};
