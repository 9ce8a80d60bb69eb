import { mapDefined, type NamedTensors } from "@tritype/core";
import type { Endpoint, LocalEndpoint } from "@tritype/endpoint";
import { type Call, createRecorder, type RecordedTensor, type Recording } from "@tritype/inspector";
import { runMembers } from "@tritype/project";

/** Every step of a request with its tensors; if a step fails, the steps up to it. */
export const recordSteps = (
  endpoint: Endpoint | LocalEndpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Recording<RecordedTensor>> =>
  "runtime" in endpoint ? recordLocal(endpoint, model, inputs) : recordMembers(endpoint, model, inputs);

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

/** A server does not show the tensors between its models, so each model is sent the answers of those before it. */
const recordMembers = async (
  endpoint: Endpoint,
  whole: string,
  request: NamedTensors,
): Promise<Recording<RecordedTensor>> => {
  const calls: Call<RecordedTensor>[] = [];
  let lastId = 0;
  const ask = async (
    parent: number,
    model: string,
    inputs: NamedTensors,
    version?: string,
  ): Promise<NamedTensors> => {
    const id = ++lastId;
    const call = { id, parent, model, version: version ?? "", start: id, end: id, executions: [] };
    const failed = { ...call, inputs: recorded(inputs), responses: [], failed: true };
    const at = calls.push(failed) - 1;
    const outputs = await answer(id, model, inputs, version);
    calls[at] = { ...failed, responses: [recorded(outputs)], failed: false };
    return outputs;
  };
  const answer = async (
    id: number,
    model: string,
    inputs: NamedTensors,
    version?: string,
  ): Promise<NamedTensors> => {
    const config = await endpoint.config(model, version);
    if (config.ensemble_scheduling === undefined) return await endpoint.infer(model, inputs, version);
    const { tensors } = await runMembers(config, inputs, (...member) => ask(id, ...member));
    const names = (config.output ?? []).map(({ name = "" }) => name);
    return mapDefined(names, (name) => tensors.get(name));
  };
  await ask(0, whole, request).catch(() => undefined);
  return { calls, left: 0 };
};

const recorded = (tensors: NamedTensors): readonly RecordedTensor[] =>
  [...tensors].map(([name, tensor]) => ({ name, tensor }));
