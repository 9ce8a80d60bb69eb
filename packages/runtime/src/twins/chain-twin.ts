import { join } from "node:path";
import { type ChainTwinOptions, chainTwinSchema } from "@tritype/manifest";
import type { TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../backend.ts";
import { readOptions } from "./read-options.ts";

/** A step of a chain, with its own twin. */
interface OpenStep {
  readonly step: ChainTwinOptions["steps"][number];
  readonly loaded: LoadedModel;
}

/**
 * The native twin of several steps in one model: the twins of the steps, one after the other. Undefined if one of them
 * is not available here; then the Python runs.
 * @param open Opens the twin of one step.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadChainTwin = async (
  given: unknown,
  model: ModelVersion,
  open: (step: OpenStep["step"], version: ModelVersion) => Promise<LoadedModel | undefined>,
): Promise<LoadedModel | undefined> => {
  const options = readOptions(chainTwinSchema, given, model);
  const steps: OpenStep[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(steps.map(({ loaded }) => loaded.close()));
  };
  try {
    for (const step of options.steps) {
      const loaded = await open(step, versionOf(step, model));
      if (loaded === undefined) {
        await close();
        return undefined;
      }
      steps.push({ step, loaded });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    execute: (requests) => Promise.all(requests.map((request) => respond(request, steps, options))),
    processes: () => steps.flatMap(({ loaded }) => loaded.processes?.() ?? []),
    close,
  };
};

const versionOf = (
  { name, folder, outputs }: ChainTwinOptions["steps"][number],
  { config, versionFolder, ...rest }: ModelVersion,
): ModelVersion => ({
  ...rest,
  versionFolder: join(versionFolder, folder),
  config: { ...config, name, output: outputs as NonNullable<ModelConfig["output"]> },
});

const respond = async (
  request: ModelRequest,
  steps: readonly OpenStep[],
  { outputs }: ChainTwinOptions,
): Promise<ModelResult> => {
  const tensors = new Map<string, TensorData>(request.inputs);
  for (const { step, loaded } of steps) {
    const inputs = pick(Object.entries(step.inputs), tensors);
    const asked = { ...request, inputs, outputs: step.outputs.map(({ name }) => name) };
    const [result] = await loaded.execute([asked]);
    if (result === undefined || "error" in result) return result ?? { outputs: new Map() };
    for (const [name, tensor] of result.outputs) tensors.set(`${step.name}/${name}`, tensor);
  }
  return {
    outputs: pick(
      request.outputs.map((name) => [name, outputs[name] ?? ""] as const),
      tensors,
    ),
  };
};

/** The tensors of a table: name → source. An optional input may be missing. */
const pick = (
  sources: readonly (readonly [name: string, source: string])[],
  tensors: ReadonlyMap<string, TensorData>,
): Map<string, TensorData> =>
  new Map(
    sources.flatMap(([name, source]) => {
      const tensor = tensors.get(source);
      return tensor === undefined ? [] : [[name, tensor] as const];
    }),
  );
