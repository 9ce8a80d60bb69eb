import { randomFillSync } from "node:crypto";
import {
  byteLength,
  type DType,
  dtypeOfConfigName,
  elementCount,
  type TensorData,
  foreignError,
  type PipelineError,
  requestPrefix,
} from "@tritype/core";
import { readRawData } from "@tritype/protocol";
import type { ModelConfig, ModelWarmup, ModelWarmupInput } from "@tritype/triton";
import type { ModelRequest, ModelVersion } from "../backend.ts";
import { readNamedFile } from "../repository/read-named-file.ts";
import { createRequestCheck, type RequestCheck } from "../requests/request-check.ts";

/** A warmup sample as the backend gets it. */
export interface WarmupRun {
  readonly name: string;
  /** A request of one row. */
  readonly request: ModelRequest;
  /** `batch_size`: the number of such requests in a run. */
  readonly size: number;
  /** Number of runs. */
  readonly count: number;
}

/**
 * The requests of a model's `model_warmup`; a sample without `batch_size` is left out, as in Triton.
 * Source: core `backend_model_instance.cc`, GenerateWarmupData.
 * @throws PipelineError `repository/invalid`, `request/invalid`, `model/failed` with Triton's message.
 */
export const warmupRequests = async ({
  folder,
  config,
}: Pick<ModelVersion, "folder" | "config">): Promise<readonly WarmupRun[]> => {
  const check = createRequestCheck(config);
  const runs: WarmupRun[] = [];
  for (const sample of config.model_warmup ?? []) {
    const { name = "", batch_size: size = 0, count = 0 } = sample;
    if (size === 0) continue;
    const request = await warmupRequest(folder, config, sample, check);
    runs.push({ name, request, size, count: Math.max(1, count) });
  }
  return runs;
};

/** A name that is not an input is passed to the backend: Triton treats it as a tensor of the scheduler. */
const warmupRequest = async (
  folder: string,
  config: ModelConfig,
  { inputs = {} }: ModelWarmup,
  check: RequestCheck,
): Promise<ModelRequest> => {
  const known = new Set((config.input ?? []).map(({ name }) => name));
  const own = new Map<string, TensorData>();
  const strangers = new Map<string, TensorData>();
  for (const [name, setting] of Object.entries(inputs)) {
    const tensor = await warmupTensor(folder, config, name, setting);
    (known.has(name) ? own : strangers).set(name, tensor);
  }
  const checked = check({ model: config.name ?? "", id: "", inputs: own });
  return strangers.size === 0 ? checked : { ...checked, inputs: new Map([...checked.inputs, ...strangers]) };
};

const warmupTensor = async (
  folder: string,
  config: ModelConfig,
  input: string,
  { data_type = "TYPE_INVALID", dims = [], zero_data, random_data, input_data_file: file }: ModelWarmupInput,
): Promise<TensorData> => {
  if (dims.some((dim) => dim < 0))
    throw invalid(`warmup setting expects all variable-size dimensions are specified for input '${input}'`);
  const dtype = dtypeOfConfigName(data_type);
  const expected = dtypeOfConfigName(config.input?.find(({ name }) => name === input)?.data_type ?? "");
  if (dtype === undefined)
    throw foreignError(
      "request/invalid",
      `${requestPrefix("")}inference input '${input}' data-type is '<invalid>', but model '${config.name}' expects '${expected ?? "<invalid>"}'`,
    );
  const shape = (config.max_batch_size ?? 0) > 0 ? [1, ...dims] : dims;
  if (zero_data !== undefined || random_data !== undefined)
    return filledTensor(dtype, shape, random_data !== undefined);
  if (file === undefined)
    throw invalid(`${requestPrefix("")}warmup setting expects input '${input}' to have input_data_type set`);
  const bytes = await readNamedFile(`${folder}/warmup`, file);
  if (dtype === "BYTES") return readRawData({ model: config.name ?? "", input, id: "" }, dtype, shape, bytes);
  const size = byteLength(dtype, shape);
  if (bytes.byteLength < size)
    throw invalid(
      `${requestPrefix("")}warmup setting expects ${size} bytes, but the data provided from ${file}only has ${bytes.byteLength} bytes`,
    );
  return { dtype, shape, data: bytes.subarray(0, size) };
};

/**
 * Zeros or random bytes, as in Triton. Strings are empty in both cases, and a random BOOL is 0 or 1, as everywhere in
 * this runtime.
 */
const filledTensor = (dtype: DType, shape: readonly number[], random: boolean): TensorData => {
  if (dtype === "BYTES")
    return { dtype, shape, data: Array.from({ length: elementCount(shape) }, () => new Uint8Array()) };
  const data = new Uint8Array(byteLength(dtype, shape));
  if (random) randomFillSync(data);
  return { dtype, shape, data: random && dtype === "BOOL" ? data.map((byte) => byte & 1) : data };
};

const invalid = (text: string): PipelineError => foreignError("repository/invalid", text);
