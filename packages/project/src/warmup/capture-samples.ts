import {
  type CapturedRequest,
  type CapturedTensor,
  type CompiledBuild,
  type EnsembleSample,
  fileBytes,
  type Tree,
} from "@tritype/compiler";
import {
  decodeUtf8,
  type NamedTensors,
  printRawData,
  rowsOf,
  sliceRows,
  type TensorData,
  PipelineError,
} from "@tritype/core";
import { type ListenedEndpoint, misfitsOf, openListened, typesOf } from "@tritype/endpoint";
import { type Manifest, modelsRunBy } from "@tritype/manifest";
import type { Runtime } from "@tritype/runtime";
import { type ModelConfig, parseModelConfig, stepModels } from "@tritype/triton";
import { openTree } from "../files/open-tree.ts";
import { measurePadding, type PaddingMeasurement } from "./measure-padding.ts";
import { type MemberCall, runMembers } from "./ensemble-members.ts";
import { fewRequests } from "./few-requests.ts";

/** A sample that fails in the pipeline: the model, and the reason. */
export interface SampleFailure {
  readonly sample: EnsembleSample;
  readonly model: string;
  readonly reason: string;
  readonly help: string | undefined;
  /** Whether the machine lacks something that the model needs; then neither the sample nor the model is at fault. */
  readonly needsTool: boolean;
}
export interface CapturedSamples {
  readonly requests: readonly CapturedRequest[];
  readonly failures: readonly SampleFailure[];
  /** The effect of padding on the ensembles that batch by length; empty if a sample failed. */
  readonly padding: readonly PaddingMeasurement[];
}

/**
 * Serves the build from a temporary folder, sends every sample through its ensemble, and records the requests that
 * reach each model.
 */
export const captureSamples = async (
  { tree, samples, manifest, collated }: CompiledBuild,
  notice: (text: string) => void,
): Promise<CapturedSamples> => {
  const wanted = neededModels(
    tree,
    manifest,
    samples.map(({ ensemble }) => ensemble),
  );
  const served = await openTree("tritype-warmup-", withModels(tree, wanted), (repository) =>
    openListened("the build", { repository, device: "cpu", python: "twin", notice }),
  );
  try {
    const { requests, failures } = await runSamples(served, samples, manifest);
    const padding = failures.length > 0 ? [] : await measurePadding(served, collated, samples);
    return { requests, failures, padding };
  } finally {
    await served.close();
  }
};

const withModels = (tree: Tree, wanted: ReadonlySet<string>): Tree =>
  new Map(
    [...tree].filter(([path]) => {
      const [top, model = ""] = path.split("/");
      return top !== "model_repository" || wanted.has(model);
    }),
  );

/** The ensembles and the models that they need. */
const neededModels = (tree: Tree, manifest: Manifest, ensembles: readonly string[]): ReadonlySet<string> => {
  const runBy = modelsRunBy(manifest, (model) => {
    const file = tree.get(`model_repository/${model}/config.pbtxt`);
    const parsed = parseModelConfig(file === undefined ? "" : decodeUtf8(fileBytes(file)));
    return "problem" in parsed ? [] : stepModels(parsed.config);
  });
  return new Set(ensembles.flatMap((ensemble) => [...runBy(ensemble)]));
};

const runSamples = async (
  served: ListenedEndpoint,
  samples: readonly EnsembleSample[],
  manifest: Manifest,
): Promise<Omit<CapturedSamples, "padding">> => {
  const { runtime } = served;
  const requests: CapturedRequest[] = [];
  const failures: SampleFailure[] = [];
  for (const sample of samples) {
    const reached: ReachedModels = { calls: [], byCode: [] };
    const isBatched = (model: string): boolean => (configOf(runtime, model).max_batch_size ?? 0) > 0;
    const requestOf = ({ model, inputs }: MemberCall): CapturedRequest => ({
      model,
      ensemble: sample.ensemble,
      sample: sample.name,
      ...(isBatched(model) && !isBatched(sample.ensemble) && rowsOf(inputs) > 1
        ? { rows: rowsOf(inputs) }
        : {}),
      inputs: rowOf(inputs, sample.row, isBatched(model)),
    });
    try {
      const outputs = await runModel(served, { model: sample.ensemble, inputs: sample.inputs }, (call) =>
        runLeaf(served, call, reached),
      );
      await requireTypes(served, sample, outputs, manifest);
      requests.push(...reached.calls.map(requestOf), ...fewRequests(reached.byCode.map(requestOf)));
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const { model, message: reason, help, needsTool } = error;
      failures.push({ sample, model, reason: reason.trim(), help, needsTool });
    }
  }
  return { requests, failures: firstOfModel(failures) };
};

/** Clients would refuse an answer that does not have the declared types. A flow that is not exported has those of its model. */
const requireTypes = async (
  served: ListenedEndpoint,
  { ensemble: model, inputs }: EnsembleSample,
  outputs: NamedTensors,
  { ensembles }: Manifest,
): Promise<void> => {
  const declared = ensembles.find(({ name }) => name === model) ?? typesOf(await served.metadata(model));
  const [misfit] = await misfitsOf(served, { model, declared, inputs }, outputs);
  if (misfit === undefined) return;
  const { maker, output, problem } = misfit;
  const help = "return the declared type, or change the declaration";
  throw new ModelFailure(maker, `the output \`${output}\` of \`${model}\` ${problem}`, help);
};

/** A model that cannot be served fails every sample in the same way. */
const firstOfModel = (failures: readonly SampleFailure[]): readonly SampleFailure[] =>
  failures.filter(
    ({ model, reason }, index) =>
      !failures.slice(0, index).some((other) => other.model === model && other.reason === reason),
  );

class ModelFailure extends Error {
  readonly model: string;
  readonly help: string | undefined;
  readonly needsTool: boolean;
  constructor(model: string, reason: string, help?: string, needsTool = false) {
    super(reason);
    this.model = model;
    this.help = help;
    this.needsTool = needsTool;
  }
}

/** The requests to models that are not ensembles. */
interface ReachedModels {
  /** Requests from the graphs of ensembles. */
  readonly calls: MemberCall[];
  /** Requests from the code of other models. */
  readonly byCode: MemberCall[];
}

/** Runs a model: ensembles member by member, other models with `run`. */
const runModel = async (
  served: ListenedEndpoint,
  call: MemberCall,
  run: (call: MemberCall) => Promise<NamedTensors>,
): Promise<NamedTensors> => {
  refuseUnready(served.runtime, call.model);
  const config = configOf(served.runtime, call.model);
  if (config.ensemble_scheduling === undefined) return run(call);
  const { tensors } = await runMembers(config, call.inputs, (model, inputs, version) =>
    runModel(served, { model, inputs, version }, run),
  );
  return new Map([...tensors].filter(([name]) => config.output?.some((output) => output.name === name)));
};

/** Runs a model that is not an ensemble, then repeats its code's calls to find the requests that succeed. */
const runLeaf = async (
  served: ListenedEndpoint,
  call: MemberCall,
  { calls, byCode }: ReachedModels,
): Promise<NamedTensors> => {
  calls.push(call);
  served.takeModelCalls();
  const [answer] = await Promise.allSettled([askLeaf(served, call)]);
  // Includes calls from the code of called models.
  for (const asked of served.takeModelCalls()) {
    const reached: MemberCall[] = [];
    try {
      await runModel(served, asked, (inner) => {
        reached.push(inner);
        return askLeaf(served, inner);
      });
      byCode.push(...reached);
    } catch (error) {
      // If a model fails because a model that it calls fails, the error names the called model.
      if (answer.status === "rejected" || !(error instanceof ModelFailure)) throw error;
    }
  }
  if (answer.status === "rejected") throw answer.reason;
  return answer.value;
};

const askLeaf = async (
  served: ListenedEndpoint,
  { model, inputs, version }: MemberCall,
): Promise<NamedTensors> => {
  try {
    return await served.infer(model, inputs, version);
  } catch (error) {
    if (PipelineError.is(error)) throw new ModelFailure(model, error.message, error.help);
    throw error;
  }
};

/** If an ensemble is not ready because of a member, the error names the member. */
const refuseUnready = (runtime: Runtime, model: string): void => {
  if (runtime.modelReady(model)) return;
  const broken = runtime.models().filter(({ state }) => state === "UNAVAILABLE");
  const own = broken.find(({ reason = "" }) => !reason.startsWith("ensemble ")) ?? broken[0];
  throw new ModelFailure(own?.name ?? model, own?.reason ?? "it is not ready", own?.help, own?.needsTool);
};

const configOf = (runtime: Runtime, model: string): ModelConfig => runtime.modelConfig(model);

const rowOf = (
  inputs: NamedTensors,
  row: number,
  batched: boolean,
): Readonly<Record<string, CapturedTensor>> => {
  const captured = (tensor: TensorData): CapturedTensor => {
    // A model called by another model's code may receive only some of the rows: a group, longest rows first.
    const at = row < (tensor.shape[0] ?? 0) ? row : 0;
    const one = batched ? sliceRows(tensor, at, at + 1) : tensor;
    return {
      dtype: one.dtype,
      dims: batched ? one.shape.slice(1) : one.shape,
      // Makes a copy, because the row shares memory with the whole tensor.
      bytes: new Uint8Array(printRawData(one)),
    };
  };
  return Object.fromEntries([...inputs].map(([name, tensor]) => [name, captured(tensor)]));
};
