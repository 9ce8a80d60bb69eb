import {
  byteLength,
  type DType,
  dtypeOfConfigName,
  elementCount,
  mapDefined,
  type TensorData,
  foreignError,
  type PipelineError,
} from "@tritype/core";
import { fitsDims, type ModelConfig } from "@tritype/triton";
import type { Asker, ModelRequest } from "../backend.ts";
import type { InferRequest } from "../runtime.ts";
import { invalidRequest } from "./request-error.ts";
import { reshapeDims } from "./reshape-dims.ts";

/** @throws PipelineError `request/invalid` with Triton's message. */
export type RequestCheck = (request: InferRequest, asker?: Asker) => ModelRequest;

interface InputRule {
  readonly name: string;
  readonly dtype: DType | undefined;
  readonly dims: readonly number[];
  readonly reshape: readonly number[] | undefined;
  readonly optional: boolean;
}

type Input = readonly [name: string, tensor: TensorData];

const batchNote =
  "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. " +
  "If you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to zero. " +
  "See the model configuration docs for more info on max_batch_size.";

/**
 * Checks requests against a model's configuration, puts their inputs into the configured order and applies `reshape`.
 * Source: `InferenceRequest::Normalize` of Triton core. As in Triton, if some inputs are optional, a missing one is
 * detected only by the count, and a batch of 0 counts as one row without data. Inputs are checked from the last to the
 * first: the order of Triton's hash map (libstdc++) unless two names share a bucket.
 */
export const createRequestCheck = (config: ModelConfig): RequestCheck => {
  const model = config.name ?? "";
  const maxBatchSize = config.max_batch_size ?? 0;
  const rules: readonly InputRule[] = (config.input ?? []).map((input) => ({
    name: input.name ?? "",
    dtype: dtypeOfConfigName(input.data_type ?? ""),
    dims: input.dims ?? [],
    reshape: input.reshape ? (input.reshape.shape ?? []) : undefined,
    optional: input.optional ?? false,
  }));
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  const required = rules.filter((rule) => !rule.optional).length;
  const outputNames = (config.output ?? []).map((output) => output.name ?? "");
  const knownOutputs = new Set(outputNames);

  const checkCount = ({ id, inputs }: InferRequest): void => {
    if (inputs.size <= rules.length && inputs.size >= required) return;
    const expected =
      required === rules.length
        ? `expected ${rules.length} inputs`
        : `expected number of inputs between ${required} and ${rules.length}`;
    const missing = rules.filter((rule) => !rule.optional && !inputs.has(rule.name));
    const got = `but got ${inputs.size} inputs for model '${model}'. Got input(s) [${quoted([...inputs.keys()].toReversed())}]`;
    // Triton cuts off the last character of "[" if nothing is missing.
    const list = missing.length === 0 ? "]" : `[${quoted(missing.map((rule) => rule.name))}]`;
    throw invalidRequest(
      id,
      `${expected} ${got}, but missing required input(s) ${list}. Please provide all required input(s).`,
    );
  };

  const ruleOf = (name: string): InputRule => {
    const rule = byName.get(name);
    if (rule === undefined)
      throw foreignError("request/invalid", `unexpected inference input '${name}' for model '${model}'`);
    return rule;
  };

  /** The rows of the request; 0 if the model is not batched. */
  const batchOf = (id: string, reversed: readonly Input[]): number => {
    let batch = 0;
    for (const [name, { shape }] of reversed) {
      ruleOf(name);
      if (maxBatchSize === 0) continue;
      const [rows] = shape;
      if (rows === undefined)
        throw invalidRequest(
          id,
          `input '${name}' has no shape but model requires batch dimension for '${model}'`,
        );
      if (batch === 0) batch = rows;
      else if (rows !== batch)
        throw invalidRequest(id, `input '${name}' batch size does not match other inputs for '${model}'`);
    }
    if (batch > maxBatchSize)
      throw invalidRequest(id, `inference request batch-size must be <= ${maxBatchSize} for '${model}'`);
    return batch;
  };

  const checkInput = (id: string, name: string, tensor: TensorData, batch: number): TensorData => {
    const rule = ruleOf(name);
    if (tensor.dtype !== rule.dtype)
      throw invalidRequest(
        id,
        `inference input '${name}' data-type is '${tensor.dtype}', but model '${model}' expects '${rule.dtype ?? "<invalid>"}'`,
      );
    const row = maxBatchSize === 0 ? tensor.shape : tensor.shape.slice(1);
    if (row.includes(-1))
      throw invalidRequest(
        id,
        `All input dimensions should be specified for input '${name}' for model '${model}', got ${dimsList(tensor.shape)}`,
      );
    if (!fitsDims(rule.dims, row)) {
      const expected = maxBatchSize === 0 ? rule.dims : [-1, ...rule.dims];
      throw invalidRequest(
        id,
        `unexpected shape for input '${name}' for model '${model}'. Expected ${dimsList(expected)}, got ${dimsList(tensor.shape)}. ` +
          (maxBatchSize === 0 ? "" : batchNote),
      );
    }
    requireCountable(name, tensor.shape);
    const inner = rule.reshape === undefined ? row : reshapeDims(rule.dims, rule.reshape, row);
    const isAsSent = rule.reshape === undefined && (batch === 0 || tensor.shape[0] === batch);
    checkSize(id, name, tensor, batch === 0 ? inner : isAsSent ? tensor.shape : [batch, ...inner]);
    return isAsSent ? tensor : { ...tensor, shape: maxBatchSize === 0 ? inner : [batch, ...inner] };
  };

  const checkSize = (id: string, name: string, tensor: TensorData, shape: readonly number[]): void => {
    if (tensor.dtype === "BYTES") {
      const count = elementCount(shape);
      if (tensor.data.length !== count)
        throw invalidRequest(
          id,
          `expected ${count} string elements for inference input '${name}' for model '${model}', got ${tensor.data.length}`,
        );
      return;
    }
    const size = byteLength(tensor.dtype, shape);
    if (tensor.data.byteLength !== size)
      throw invalidRequest(
        id,
        `input byte size mismatch for input '${name}' for model '${model}'. Expected ${size}, got ${tensor.data.byteLength}`,
      );
  };

  const outputsOf = (names: readonly string[] | undefined): readonly string[] => {
    if (names === undefined || names.length === 0) return outputNames;
    for (const name of names)
      if (!knownOutputs.has(name))
        throw foreignError("request/invalid", `unexpected inference output '${name}' for model '${model}'`);
    return outputNames.filter((name) => names.includes(name));
  };

  return (request, { signal, callers, trace } = {}) => {
    const outputs = outputsOf(request.outputs);
    checkCount(request);
    const { id, parameters = {}, modelParameters } = request;
    const sent = [...request.inputs.keys()];
    const reversed = [...request.inputs].toReversed();
    const batch = batchOf(id, reversed);
    const checked = new Map<string, TensorData>();
    for (const [name, tensor] of reversed) checked.set(name, checkInput(id, name, tensor, batch));
    const inputs = checked.size < 2 ? checked : mapDefined(byName.keys(), (name) => checked.get(name));
    return { id, inputs, sent, outputs, parameters, modelParameters, signal, callers, trace };
  };
};

const maxElements = 2n ** 63n - 1n;

/** Only gRPC requests can have such shapes here. Source: Triton releases after 24.10, which pass them on to the model. */
const requireCountable = (name: string, shape: readonly number[]): void => {
  const refuse = (why: string): PipelineError =>
    foreignError("request/invalid", `invalid shape for input '${name}': shape [${shape.join(",")}] ${why}`);
  if (shape.some((dim) => dim < 0)) throw refuse("contains one or more invalid dimensions");
  if (elementCount(shape) > 2 ** 63)
    throw refuse(`causes total element count to exceed maximum size of ${maxElements}`);
};

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(",");

/** `[-1,2]`, as Triton writes dims. */
const dimsList = (dims: readonly number[]): string => `[${dims.join(",")}]`;
