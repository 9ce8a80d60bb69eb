import { byteLength, dtypeOfConfigName, foreignError, type TensorData } from "@tritype/core";
import type { ModelConfig, ModelSequenceBatching } from "@tritype/triton";
import { zeros } from "../scheduling/sequences/implicit-state.ts";
import { readNamedFile } from "./read-named-file.ts";

type InitialState = NonNullable<NonNullable<ModelSequenceBatching["state"]>[number]["initial_state"]>[number];

/**
 * The initial values of sequence states, by the name of the state's input, from the folder `initial_state`. Strings start
 * empty: Triton overwrites those in a file.
 * @throws PipelineError `model/failed` or `repository/invalid` with Triton's message for a file that is missing or too short.
 */
export const readInitialStates = async (
  folder: string,
  { max_batch_size: maxBatchSize = 0, sequence_batching: batching = {} }: ModelConfig,
): Promise<ReadonlyMap<string, TensorData>> => {
  const read = new Map<string, TensorData>();
  for (const { input_name: input = "", initial_state: [initial] = [] } of batching.state ?? [])
    if (initial !== undefined) read.set(input, await initialState(folder, initial, maxBatchSize > 0));
  return read;
};

const initialState = async (
  folder: string,
  { data_type: type, dims = [], data_file: file }: InitialState,
  batched: boolean,
): Promise<TensorData> => {
  const dtype = dtypeOfConfigName(type ?? "") ?? "FP32";
  const shape = batched ? [1, ...dims] : dims;
  if (file === undefined) return zeros(dtype, shape);
  const bytes = await readNamedFile(`${folder}/initial_state`, file);
  if (dtype === "BYTES") return zeros(dtype, shape);
  const size = byteLength(dtype, shape);
  if (bytes.byteLength < size)
    throw foreignError(
      "repository/invalid",
      `initial_state setting expects ${size} bytes, but the data provided from ${file}only has ${bytes.byteLength} bytes.`,
    );
  return { dtype, shape, data: bytes.slice(0, size) };
};
