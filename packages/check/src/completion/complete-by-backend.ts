import type { ModelConfig } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import { completeForGraph, failsToComplete, isCompleted } from "./complete-onnx.ts";
import { onnxFiles } from "../model/onnx-file.ts";

/**
 * The configuration as `/v2/models/<name>/config` shows it once the backend has completed it. With `strict`, this is
 * the configuration as the core leaves it. The same applies to backends that complete nothing, or that use a file or
 * program that is not read here (python's `auto_complete_config`, a TensorRT plan, OpenVINO's model.xml). `refused`:
 * completion fails, or the graph cannot be read. Each version is completed from its own graph; the latest is shown.
 */
export const completeByBackend = (
  model: ModelContext,
): { readonly config: ModelConfig } | { readonly refused: true } => {
  const { config, options } = model;
  if (config.backend !== "onnxruntime" || options.configsOnly === true || !isCompleted(model))
    return { config };
  const latest = onnxFiles(model).at(-1);
  if (latest === undefined) return { config };
  if (latest.found.kind !== "graph" || failsToComplete(model, latest.found.graph)) return { refused: true };
  return { config: completeForGraph(model, latest.found.graph) };
};
