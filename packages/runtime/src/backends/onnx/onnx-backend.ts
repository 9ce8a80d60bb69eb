import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  completeForGraph,
  failsToComplete,
  loadRefusal,
  type ModelContext,
  onnxFiles,
  type OnnxGraph,
} from "@tritype/check/refusals";
import { foreignError, invariant, messageOf, PipelineError } from "@tritype/core";
import type { OnnxSignature } from "@tritype/onnx";
import type { Steps } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";
import type { Backend, LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../../backend.ts";
import { laptopExceptions } from "../../repository/laptop-exceptions.ts";
import { modelContext } from "../../repository/model-context.ts";
import { refused } from "../../repository/read-model.ts";
import { gpuProviders } from "./cuda/gpu-providers.ts";
import { unheardOptions } from "./cuda/unheard-options.ts";
import type { DevicePolicy } from "./device-policy.ts";
import { planSessions } from "./instance-plan.ts";
import { createRequestMerger } from "./merge-requests.ts";
import { movingAverage } from "./moving-average.ts";
import { type OnnxInstance, openOnnxInstance } from "./onnx-instance.ts";
import { sessionOptions } from "./session-options.ts";
import { createSymbolCheck } from "./symbolic-dims.ts";
import { unpack } from "./travel.ts";
import type { TravellingTensor } from "./worker-messages.ts";

/** Runs ONNX models with onnxruntime-node, each instance in its own thread. */
export const createOnnxBackend = (options: OnnxBackendOptions): Backend => ({
  name: "onnxruntime",
  complete: async (model) => (needsCompletion(model.config) ? completeFromGraph(model) : model.config),
  load: async (model) => {
    const file = await modelFile(model);
    const { signature } = readGraph(model, modelContext(model, model.config), file);
    return loadedModel(model, signature, await openInstances(model, file, options));
  },
});

export interface OnnxBackendOptions {
  readonly devices: DevicePolicy;
  /** Reports information that the user did not ask for, one line each. */
  readonly notice: (text: string) => void;
}

const needsCompletion = ({ input = [], output = [], batch_input = [] }: ModelConfig): boolean =>
  input.length + batch_input.length === 0 || output.length === 0;

/** The model's file; a folder with that name contains it as `model.onnx`. */
const modelFile = async ({ name, versionFolder, config }: ModelVersion): Promise<string> => {
  const path = join(versionFolder, config.default_model_filename || "model.onnx");
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw invalid(`unable to find '${path}' for model instance '${name}'`);
  return found.isDirectory() ? join(path, "model.onnx") : path;
};

/** @throws PipelineError with Triton's message if its backend cannot complete the configuration. */
const completeFromGraph = async (model: ModelVersion): Promise<ModelConfig> => {
  const file = await modelFile(model);
  const context = modelContext(model, model.config);
  const graph = readGraph(model, context, file);
  const refusal = failsToComplete(context, graph) ? loadRefusal(context, laptopExceptions) : undefined;
  if (refusal !== undefined) throw refused(refusal);
  return completeForGraph(context, graph);
};

const readGraph = (model: ModelVersion, context: ModelContext, file: string): OnnxGraph => {
  const [read] = onnxFiles(context);
  if (read?.found.kind === "graph") return read.found.graph;
  if (read?.found.kind === "broken")
    throw failed(`onnx runtime error: Load model from ${file} failed: ${read.found.problem}`);
  throw invalid(`unable to find '${file}' for model instance '${model.name}'`);
};

const openInstances = async (
  { name, config, writtenInstances }: ModelVersion,
  file: string,
  { devices, notice }: OnnxBackendOptions,
): Promise<readonly OnnxInstance[]> => {
  const planned = planSessions(config, writtenInstances);
  const threads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, planned.length)));
  const chosen = await Promise.all(planned.map((instance) => devices.choose(instance)));
  const onGpu = chosen.find((device) => device.kind === "cuda");
  const unheard = onGpu === undefined ? undefined : unheardOptions(name, gpuProviders(config, onGpu));
  if (unheard !== undefined) notice(unheard);
  const settled = await Promise.allSettled(
    chosen.map(async (device) => {
      return openOnnxInstance({ model: file, options: sessionOptions(config, device, threads) });
    }),
  );
  const opened = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failure = settled.find((result) => result.status === "rejected");
  if (failure === undefined) return opened;
  await closeAll(opened);
  const reason: unknown = failure.reason;
  throw PipelineError.is(reason) ? reason : failed(`onnx runtime error: ${messageOf(reason)}`, reason);
};

const loadedModel = (
  { name, config }: ModelVersion,
  signature: OnnxSignature,
  instances: readonly OnnxInstance[],
): LoadedModel => {
  const checkSymbols = createSymbolCheck(name, signature);
  const merger = createRequestMerger(config);
  const typical = movingAverage();

  const runTogether = async (
    requests: readonly ModelRequest[],
    chosen: OnnxInstance | undefined,
  ): Promise<readonly ModelResult[]> => {
    const started = performance.now();
    const inputs = await inTurns(merger.merge(requests));
    const instance = chosen ?? leastLoaded(instances);
    invariant(instance !== undefined, `${name} runs requests without an instance`);
    // Sorted by name, the order in which the C++ backend answers.
    const wanted = outputsOf(requests).toSorted();
    const packed = performance.now();
    const { outputs, took, waited, entered } = await instance.run(inputs, wanted);
    const back = performance.now();
    typical.add(took);
    const parts = outputs.map((output) => ({ name: output.name, of: merger.split(output, requests) }));
    // Passing data to the thread counts as input time, passing it back as output time.
    const input = (packed - started) * 1000 + entered;
    const output = Math.max(0, (back - packed) * 1000 - entered - took - waited);
    const times = { input, infer: took, output, waited };
    return requests.map((request, i): ModelResult => {
      const own = parts.filter((part) => request.outputs.includes(part.name)).map(({ of }) => of[i]);
      const problem = own.find((part) => PipelineError.is(part));
      return problem === undefined
        ? { outputs: unpack(own as readonly TravellingTensor[]), times }
        : { error: problem };
    });
  };

  const run = async (
    requests: readonly ModelRequest[],
    instance?: OnnxInstance,
  ): Promise<readonly ModelResult[]> => {
    try {
      return await runTogether(requests, instance);
    } catch (error) {
      // ONNX Runtime may be unable to represent the strings of one request; the others still run.
      if (PipelineError.is(error) && requests.length > 1)
        return (await Promise.all(requests.map((request) => run([request], instance)))).flat();
      const failure = PipelineError.is(error)
        ? error
        : foreignError("model/failed", `onnx runtime error: ${messageOf(error)}`, { cause: error });
      return requests.map(() => ({ error: failure }));
    }
  };

  const execute = (
    requests: readonly ModelRequest[],
    instance?: OnnxInstance,
  ): Promise<readonly ModelResult[]> => {
    const mismatches = requests.map(({ inputs, id }) => checkSymbols(inputs, id));
    return mismatches.every((error) => error === undefined)
      ? run(requests, instance)
      : runSound(requests, mismatches, instance);
  };

  const runSound = async (
    requests: readonly ModelRequest[],
    mismatches: readonly (PipelineError | undefined)[],
    instance: OnnxInstance | undefined,
  ): Promise<readonly ModelResult[]> => {
    const sound = requests.filter((_, i) => mismatches[i] === undefined);
    const results = sound.length === 0 ? [] : await run(sound, instance);
    let next = 0;
    return mismatches.map((error) => (error === undefined ? (results[next++] as ModelResult) : { error }));
  };

  return {
    instances: instances.length,
    // Work that takes less time than waking a thread is passed on before the thread is idle.
    ahead: () => Math.min(mostAhead, Math.floor(aheadTime / typical.value())) * instances.length,
    execute: (requests) => execute(requests),
    executeOn: (instance, requests) => execute(requests, instances[instance]),
    givesStates: true,
    close: () => closeAll(instances),
  };
};

/**
 * The amount of work, in microseconds, that an instance may accept in advance; a cancellation goes unnoticed for at
 * most this long.
 */
const aheadTime = 1000;
const mostAhead = 64;

/** Continues in another turn of the event loop after each step. */
const inTurns = <T>(steps: Steps<T>): T | Promise<T> => {
  const step = steps.next();
  return step.done === true ? step.value : setImmediate().then(() => inTurns(steps));
};

/** All outputs that one of the requests wants. Requests that name none have the same list. */
const outputsOf = (requests: readonly ModelRequest[]): readonly string[] => {
  const [{ outputs: first } = { outputs: [] }] = requests;
  return requests.every(({ outputs }) => outputs === first)
    ? first
    : [...new Set(requests.flatMap(({ outputs }) => outputs))];
};

const leastLoaded = (instances: readonly OnnxInstance[]): OnnxInstance | undefined => {
  let [best] = instances;
  for (const instance of instances) if (best === undefined || instance.load() < best.load()) best = instance;
  return best;
};

const closeAll = async (instances: readonly OnnxInstance[]): Promise<void> => {
  await Promise.all(instances.map((instance) => instance.close()));
};

const invalid = (text: string, cause?: unknown): PipelineError =>
  foreignError("repository/invalid", text, { cause });

/** Triton's INTERNAL; a wrong configuration is INVALID_ARG. */
const failed = (text: string, cause?: unknown): PipelineError =>
  foreignError("model/failed", text, { cause });
