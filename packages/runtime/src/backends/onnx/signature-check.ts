import { dtypeOfConfigName } from "@tritype/core";
import type { OnnxPort, OnnxSignature } from "@tritype/onnx";
import type { ModelConfig } from "@tritype/triton";

/**
 * Why Triton's ONNX Runtime backend would refuse this configuration for this graph, in its words; undefined when it loads.
 * Source: `ModelState::…Validate` and `CompareDimsSupported` of Triton's onnxruntime_backend.
 */
export const signatureProblem = (config: ModelConfig, signature: OnnxSignature): string | undefined => {
  for (const problem of problems(config, signature)) return problem;
  return undefined;
};

function* problems(config: ModelConfig, signature: OnnxSignature): Generator<string> {
  const model = config.name ?? "";
  const maxBatchSize = config.max_batch_size ?? 0;
  const inputs = config.input ?? [];
  const ports = new Map(signature.inputs.map((port) => [port.name, port]));
  const overridable = new Set(signature.overridable);

  for (const { name = "", optional } of inputs)
    if (optional === true && maxBatchSize > 0)
      yield `unable to load model '${model}', optional input '${name}' is not supported for models that support batching`;
  const expected = expectedInputs(config);
  if (expected !== signature.inputs.length)
    yield `unable to load model '${model}', configuration expects ${expected} inputs, model provides ${signature.inputs.length}`;

  for (const { name = "", data_type = "", dims = [], reshape, allow_ragged_batch: ragged } of inputs) {
    const port = ports.get(name);
    if (port === undefined) {
      if (overridable.has(name)) continue;
      yield `unexpected inference input '${name}', allowed inputs are: ${[...ports.keys()].join(", ")}`;
      return;
    }
    yield* datatypeProblem(model, "input", name, data_type, port);
    if (ragged === true) {
      if (port.dims?.length !== 1 || typeof port.dims[0] === "number")
        yield `unable to load model '${model}', configuration expects model provides input with shape [-1]  for ragged input '${name}', model provides [${(port.dims ?? []).map((dim) => (typeof dim === "number" ? dim : -1)).join(",")}]`;
      continue;
    }
    const shape = reshape ? (reshape.shape ?? []) : dims;
    yield* shapeProblem(model, name, shape, maxBatchSize, port, false);
  }
  const outputs = new Map(signature.outputs.map((port) => [port.name, port]));
  for (const { name = "", data_type = "", dims = [], reshape } of config.output ?? []) {
    const port = outputs.get(name);
    if (port === undefined) {
      yield `unexpected inference output '${name}', allowed outputs are: ${[...outputs.keys()].join(", ")}`;
      return;
    }
    yield* datatypeProblem(model, "output", name, data_type, port);
    const shape = reshape ? (reshape.shape ?? []) : dims;
    yield* shapeProblem(model, name, shape, maxBatchSize, port, true);
  }
}

/** Triton counts: the inputs that must be sent, the tensors it makes itself, and the states. */
const expectedInputs = (config: ModelConfig): number => {
  const required = (config.input ?? []).filter((input) => input.optional !== true).length;
  const controls = config.sequence_batching?.control_input?.length ?? 0;
  const states = config.sequence_batching?.state?.length ?? 0;
  return required + (config.batch_input?.length ?? 0) + controls + states;
};

function* datatypeProblem(
  model: string,
  side: string,
  name: string,
  dataType: string,
  port: OnnxPort,
): Generator<string> {
  const dtype = dtypeOfConfigName(dataType);
  if (dtype === undefined || dtype === "BF16")
    yield `unsupported datatype ${dataType} for ${side} '${name}' for model '${model}'`;
  if (dtype !== port.dtype || port.dtype === undefined)
    yield `unable to load model '${model}', configuration expects datatype ${dataType} for ${side} '${name}', model provides TYPE_${tritonName(port)}`;
}

const tritonName = ({ dtype }: OnnxPort): string =>
  dtype === undefined || dtype === "BF16" ? "<invalid>" : dtype;

function* shapeProblem(
  model: string,
  name: string,
  dims: readonly number[],
  maxBatchSize: number,
  port: OnnxPort,
  exact: boolean,
): Generator<string> {
  // The backend cannot tell a scalar from an unknown rank.
  const graph = (port.dims ?? []).map((dim) => (typeof dim === "number" ? dim : -1));
  if (graph.length === 0) {
    if (dims.some((dim) => dim !== 1))
      yield `unable to load model '${model}', scalar tensor '${name}', should only provide 1 in the model configuration when the model doesn't support batching. Model configuration dims: ${dimsList(dims)}.`;
    return;
  }
  const prefix = `model '${model}', tensor '${name}': `;
  if (maxBatchSize > 0 && graph[0] !== -1) {
    yield `${prefix}for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is ${dimsList(graph)}`;
    return;
  }
  const full = maxBatchSize > 0 ? [-1, ...dims] : dims;
  const fits =
    graph.length === full.length &&
    graph.every((dim, i) => dim === full[i] || (dim === -1 && !exact) || (i === 0 && maxBatchSize > 0));
  if (fits) return;
  yield maxBatchSize > 0
    ? `${prefix}the model expects ${graph.length} dimensions (shape ${dimsList(graph)}) but the model configuration specifies ${full.length} dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape ${dimsList(full)})`
    : `${prefix}the model expects ${graph.length} dimensions (shape ${dimsList(graph)}) but the model configuration specifies ${full.length} dimensions (shape ${dimsList(full)})`;
}

const dimsList = (dims: readonly number[]): string => `[${dims.join(",")}]`;
