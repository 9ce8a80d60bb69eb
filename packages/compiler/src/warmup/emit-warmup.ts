import { type Diagnostic, dtypes, type StepDefinition } from "@tritype/core";
import type { ManifestWarmupRequest } from "@tritype/manifest";
import type { ModelConfig, ModelWarmup, ModelWarmupInput, TritonRelease } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { fileSize, type Tree, type TreeFile } from "../tree.ts";
import { tensorrtProfile } from "./tensorrt-profile.ts";
import { diagnoseWarmup } from "./warmup-diagnostics.ts";
import type { WarmupEntry, WarmupTensor } from "./warmup-entry.ts";

/** A model with its warmup. */
export interface WarmedModel {
  readonly config: ModelConfig;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  /** The warmup requests that were captured. */
  readonly captured: readonly ManifestWarmupRequest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The size in bytes above which warmup files cause a note. */
const largeFile = 16 * 2 ** 20;

/**
 * Writes `model_warmup` and its files, and TensorRT's profile if the configuration uses TensorRT. The step's own
 * samples come before captured ones.
 */
export const emitWarmup = (
  owner: StepDefinition,
  config: ModelConfig,
  own: readonly WarmupEntry[],
  captured: readonly WarmupEntry[],
  release: TritonRelease,
): WarmedModel => {
  // A `raw` fragment replaces the generated fields.
  if (config.model_warmup !== undefined) return { config, files: new Map(), captured: [], diagnostics: [] };
  const names = new Set(own.map(({ name }) => name));
  // A flow's callee may have a smaller maximum batch size than the flow, so it receives single rows.
  const most = Math.max(1, config.max_batch_size ?? 0);
  const others = captured.flatMap((entry) =>
    names.has(entry.name) ? [] : [{ ...entry, batchSize: Math.min(entry.batchSize, most) }],
  );
  const entries = [...own, ...others];
  const model = config.name ?? owner.name;
  const files = new Map<string, TreeFile>();
  const diagnostics: Diagnostic[] = [];
  const requests: ManifestWarmupRequest[] = [];
  const warmups = entries.map((entry): ModelWarmup => {
    const inputs: Record<string, ModelWarmupInput> = {};
    const recorded: Record<string, ManifestWarmupRequest["inputs"][string]> = {};
    for (const [input, tensor] of entry.inputs) {
      const file = place(entry, input, tensor, files);
      const size = file === undefined ? 0 : sizeOf(files.get(`warmup/${file}`));
      if (size > largeFile)
        diagnostics.push(
          diagnoseWarmup("sample/large", {
            with: { sample: entry.name, input, owner: model, size: Math.round(size / 2 ** 20) },
            labels: definedAt(owner),
          }),
        );
      inputs[input] = {
        data_type: dtypes[tensor.dtype].configName as NonNullable<ModelWarmupInput["data_type"]>,
        dims: tensor.dims,
        ...(file === undefined
          ? tensor.source.kind === "random"
            ? { random_data: true }
            : { zero_data: true }
          : { input_data_file: file }),
      };
      recorded[input] = {
        dtype: tensor.dtype,
        dims: [...tensor.dims],
        ...(file === undefined ? {} : { file: `warmup/${file}` }),
      };
    }
    if (entry.captured !== undefined) requests.push({ model, ...entry.captured, inputs: recorded });
    return {
      name: entry.name,
      batch_size: entry.batchSize,
      inputs,
      ...(entry.count === 1 ? {} : { count: entry.count }),
    };
  });
  return {
    config: {
      ...tensorrtProfile(config, entries, release),
      ...(warmups.length === 0 ? {} : { model_warmup: warmups }),
    },
    files,
    captured: requests,
    diagnostics,
  };
};

/** `short_input_ids`: the names of the sample and the input, combined into a name that every file system allows. */
const place = (
  { name }: WarmupEntry,
  input: string,
  { source }: WarmupTensor,
  files: Map<string, TreeFile>,
): string | undefined => {
  if (source.kind !== "file") return undefined;
  const plain = `${name}_${input}`.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  const taken = new Set([...files.keys()].map((path) => path.toLowerCase()));
  let file = plain;
  for (let number = 2; taken.has(`warmup/${file}`.toLowerCase()); number++) file = `${plain}_${number}`;
  files.set(`warmup/${file}`, source.file);
  return file;
};

const sizeOf = (file: TreeFile | undefined): number =>
  file === undefined || file.kind === "text" ? 0 : fileSize(file);
