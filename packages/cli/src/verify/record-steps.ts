import { mapDefined, type NamedTensors } from "@tritype/core";
import type { Endpoint, LocalEndpoint } from "@tritype/endpoint";
import {
  type Call,
  createRecorder,
  type RecordedTensor,
  type Recording,
  type StepwiseRecording,
} from "@tritype/inspector";
import { runMembers } from "@tritype/project";
import type { ModelConfig } from "@tritype/triton";

/** Every step of a request with its tensors; if a step fails, the steps up to it. */
export const recordSteps = (
  endpoint: Endpoint | LocalEndpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Recording<RecordedTensor>> =>
  "runtime" in endpoint
    ? recordLocal(endpoint, model, inputs)
    : recordMembers(endpoint, model, inputs).then(({ recording }) => recording);

/** Maximum size of the tensors in one recording; further tensors are not compared. */
const mostBytes = 2 ** 31;

/** The local runtime records a request itself, including calls from code. */
const recordLocal = async (
  { runtime }: LocalEndpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Recording<RecordedTensor>> => {
  const recorder = createRecorder({ bytes: mostBytes, calls: Infinity });
  // A failure is part of the recording.
  await runtime.infer({ model, id: "", inputs }, undefined, undefined, recorder.trace).catch(() => undefined);
  return recorder.wholeRecording();
};

/**
 * A server does not show the tensors between its models, so each model gets the answers of the models before it. Never rejects: a failure
 * ends the recording.
 */
export const recordMembers = async (
  endpoint: Endpoint,
  whole: string,
  request: NamedTensors,
  signal?: AbortSignal,
): Promise<StepwiseRecording> => {
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) * 1000;
  const calls: Call<RecordedTensor>[] = [];
  const ask = async (
    parent: number,
    model: string,
    inputs: NamedTensors,
    version?: string,
  ): Promise<NamedTensors> => {
    const id = calls.length + 1;
    const start = elapsed();
    const call = { id, parent, model, version: version ?? "", start, end: start, executions: [], left: 0 };
    const failed = { ...call, inputs: recorded(inputs), responses: [], failed: true };
    calls.push(failed);
    const outputs = await answer(id, model, inputs, version);
    calls[id - 1] = { ...failed, end: elapsed(), responses: [recorded(outputs)], failed: false };
    return outputs;
  };
  const answer = async (
    id: number,
    model: string,
    inputs: NamedTensors,
    version?: string,
  ): Promise<NamedTensors> => {
    signal?.throwIfAborted();
    // A server without configurations has no ensembles. If a server does not respond, the request will fail as well.
    const config = await endpoint.config(model, version).catch((): ModelConfig => ({}));
    if (config.ensemble_scheduling === undefined) return await endpoint.infer(model, inputs, version, signal);
    const { tensors } = await runMembers(config, inputs, (...member) => ask(id, ...member));
    const names = (config.output ?? []).map(({ name = "" }) => name);
    return mapDefined(names, (name) => tensors.get(name));
  };
  const recording = { calls, left: 0 };
  return await ask(0, whole, request).then(
    () => ({ recording }),
    (failure: unknown) => ({ recording, failure }),
  );
};

const recorded = (tensors: NamedTensors): readonly RecordedTensor[] =>
  [...tensors].map(([name, tensor]) => ({ name, tensor }));
