import { byteLength, dtypeOfConfigName, type TensorData } from "@tritype/core";
import type { ModelConfig, ModelSequenceBatching } from "@tritype/triton";
import { zeros } from "../scheduling/sequences/implicit-state.ts";
import { readNamedFile } from "./read-named-file.ts";

type InitialState = NonNullable<NonNullable<ModelSequenceBatching["state"]>[number]["initial_state"]>[number];

/**
 * The initial values of sequence states, by the name of the state's input, from the folder `initial_state`, whose files
 * `@tritype/check` has already checked. Strings start empty: Triton overwrites those in a file.
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
  if (file === undefined || dtype === "BYTES") return zeros(dtype, shape);
  const bytes = await readNamedFile(`${folder}/initial_state`, file);
  return { dtype, shape, data: bytes.slice(0, byteLength(dtype, shape)) };
};
