import { completeModelConfig, type DataType, type ModelConfig, type ModelInput } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import type { GraphTensor, OnnxGraph } from "../model/onnx-file.ts";

/** Whether the backend completes the configuration, which it does unless both inputs and outputs are given. */
export const isCompleted = ({ config, options }: ModelContext): boolean =>
  options.strict !== true &&
  ((config.input?.length ?? 0) + (config.batch_input?.length ?? 0) === 0 ||
    (config.output?.length ?? 0) === 0);

/** Whether a graph supports batches by the backend's definition: the first dim of every tensor is -1. */
export const takesBatches = ({ inputs, outputs }: OnnxGraph): boolean =>
  [...inputs, ...outputs].every(({ dims }) => dims[0] === -1);

/** The first tensor that prevents the graph from supporting batches. */
export const fixedTensor = ({ inputs, outputs }: OnnxGraph): GraphTensor | undefined =>
  [...inputs, ...outputs].find(({ dims }) => dims[0] !== -1);

/** Whether completion fails because a batch size is set for a graph that does not support batches. */
export const failsToComplete = (model: ModelContext, graph: OnnxGraph): boolean =>
  isCompleted(model) && !takesBatches(graph) && (model.config.max_batch_size ?? 0) !== 0;

/**
 * The configuration with the additions of the ONNX Runtime backend for one graph. Call {@link failsToComplete} first.
 * Source: `ModelState::AutoCompleteConfig` of Triton's onnxruntime_backend.
 */
export const completeForGraph = (model: ModelContext, graph: OnnxGraph): ModelConfig => {
  const { config, options, name } = model;
  if (!isCompleted(model)) return config;
  const given = config.max_batch_size ?? 0;
  const largest = takesBatches(graph) && given === 0 ? Math.max(options.defaultMaxBatchSize ?? 4, 0) : given;
  const scheduled = config.dynamic_batching !== undefined || config.sequence_batching !== undefined;
  const noInputs = (config.input?.length ?? 0) + (config.batch_input?.length ?? 0) === 0;
  const completed: ModelConfig = {
    ...config,
    ...(largest === given ? {} : { max_batch_size: largest }),
    ...(largest > 1 && takesBatches(graph) && !scheduled ? { dynamic_batching: {} } : {}),
    ...(noInputs ? { input: graph.inputs.map((tensor) => rowOf(tensor, largest)) } : {}),
    ...(config.output?.length ? {} : { output: graph.outputs.map((tensor) => rowOf(tensor, largest)) }),
  };
  return completeModelConfig(completed, { folder: name, gpus: options.gpus ?? [] });
};

const rowOf = (tensor: GraphTensor, maxBatchSize: number): ModelInput => {
  const dims = tensor.dims.slice(maxBatchSize > 0 ? 1 : 0);
  const data_type = (tensor.dataType ?? "TYPE_INVALID") as DataType;
  if (dims.length > 0) return { name: tensor.name, data_type, dims };
  return { name: tensor.name, data_type, dims: [1], ...(maxBatchSize > 0 ? { reshape: {} } : {}) };
};
