import { readFile, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PipelineError } from "@tritype/core";
import { type OnnxSignature, readOnnxSignature } from "@tritype/onnx";
import type { ModelConfig } from "@tritype/triton";
import type { Backend, LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../../backend.ts";
import type { DevicePolicy } from "./device-policy.ts";
import { planInstances } from "./instance-plan.ts";
import { type OnnxInstance, openOnnxInstance } from "./onnx-instance.ts";
import { sessionOptions } from "./session-options.ts";
import { signatureProblem } from "./signature-check.ts";
import { completeFromSignature } from "./complete-config.ts";
import { createSymbolCheck } from "./symbolic-dims.ts";
import { pack, unpack } from "./travel.ts";

/** Runs ONNX models with onnxruntime-node, each instance in a thread of its own. */
export const createOnnxBackend = (options: { readonly devices: DevicePolicy }): Backend => ({
  name: "onnxruntime",
  complete: async (model) =>
    needsCompletion(model.config)
      ? completeFromSignature(model.config, await readSignature(model, await modelFile(model)))
      : model.config,
  load: async (model) => {
    const file = await modelFile(model);
    const signature = await readSignature(model, file);
    const instances = await openInstances(model, file, options.devices);
    const problem = signatureProblem(model.config, signature);
    if (problem !== undefined) {
      await closeAll(instances);
      throw invalid(problem);
    }
    return loadedModel(model, signature, instances);
  },
});

const needsCompletion = ({ input = [], output = [], batch_input = [] }: ModelConfig): boolean =>
  input.length + batch_input.length === 0 || output.length === 0;

/** The model's file; a folder of that name holds it as `model.onnx`. */
const modelFile = async ({ name, versionFolder, config }: ModelVersion): Promise<string> => {
  const path = join(versionFolder, config.default_model_filename || "model.onnx");
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw invalid(`unable to find '${path}' for model instance '${name}'`);
  return found.isDirectory() ? join(path, "model.onnx") : path;
};

const readSignature = async (model: ModelVersion, file: string): Promise<OnnxSignature> => {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw invalid(`unable to find '${file}' for model instance '${model.name}'`, cause);
  });
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined)
    throw invalid(`onnx runtime error: Load model from ${file} failed: ${signature.problem}`);
  return signature;
};

const openInstances = async (
  { config, writtenInstances = config.instance_group ?? [] }: ModelVersion,
  file: string,
  devices: DevicePolicy,
): Promise<readonly OnnxInstance[]> => {
  const planned = planInstances(writtenInstances);
  const threads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, planned.length)));
  const settled = await Promise.allSettled(
    planned.map(async (instance) => {
      const device = await devices.choose(instance);
      return openOnnxInstance({ model: file, options: sessionOptions(config, device, threads) });
    }),
  );
  const opened = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failure = settled.find((result) => result.status === "rejected");
  if (failure === undefined) return opened;
  await closeAll(opened);
  const reason: unknown = failure.reason;
  throw PipelineError.is(reason) ? reason : invalid(`onnx runtime error: ${textOf(reason)}`, reason);
};

const loadedModel = (
  { name }: ModelVersion,
  signature: OnnxSignature,
  instances: readonly OnnxInstance[],
): LoadedModel => {
  const checkSymbols = createSymbolCheck(name, signature);
  const run = async ({ id, inputs, outputs }: ModelRequest): Promise<ModelResult> => {
    const mismatch = checkSymbols(inputs, id);
    if (mismatch !== undefined) return { error: mismatch };
    const instance = leastLoaded(instances);
    if (instance === undefined)
      return { error: new PipelineError("model/unavailable", `model '${name}' has no instance`) };
    try {
      return { outputs: unpack(await instance.run(pack(inputs, name, id), outputs)) };
    } catch (error) {
      if (PipelineError.is(error)) return { error };
      return {
        error: new PipelineError("model/failed", `onnx runtime error: ${textOf(error)}`, { cause: error }),
      };
    }
  };
  return {
    instances: instances.length,
    execute: (requests) => Promise.all(requests.map(run)),
    close: () => closeAll(instances),
  };
};

const leastLoaded = (instances: readonly OnnxInstance[]): OnnxInstance | undefined => {
  let [best] = instances;
  for (const instance of instances) if (best === undefined || instance.load() < best.load()) best = instance;
  return best;
};

const closeAll = async (instances: readonly OnnxInstance[]): Promise<void> => {
  await Promise.all(instances.map((instance) => instance.close()));
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const invalid = (text: string, cause?: unknown): PipelineError =>
  new PipelineError("repository/invalid", text, { cause });
