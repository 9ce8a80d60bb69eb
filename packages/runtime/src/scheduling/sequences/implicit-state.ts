import { byteLength, dtypeOfConfigName, elementCount, type TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { ModelResult } from "../../backend.ts";
import { inOwnMemory } from "../in-own-memory.ts";

/** The tensors that the server keeps for a sequence, by the name of the model's input. */
export type SequenceState = Map<string, TensorData>;

/** `sequence_batching.state`: outputs of a model that are inputs of the sequence's next request. */
export interface ImplicitState {
  /** The state of a sequence that begins. */
  initial(): SequenceState;
  /** Zeros with the sizes of another state. */
  empty(like: SequenceState): SequenceState;
  /** The outputs that the model must return, including those that the client wants. */
  outputs(wanted: readonly string[]): readonly string[];
  /** Stores the state that an execution has produced; a failed execution leaves the state as it was. */
  keep(state: SequenceState, result: ModelResult): void;
}

/**
 * A state without an initial value starts as zeros (in Triton: as undefined bytes), with a size of 1 for variable dims.
 * Strings always start empty. Source: `SequenceStates` of Triton core.
 * @param initial Initial values, by the name of the state's input.
 * @param written Whether the model's backend returns the outputs; otherwise the state never changes.
 */
export const createImplicitState = (
  config: ModelConfig,
  initial: ReadonlyMap<string, TensorData>,
  written: boolean,
): ImplicitState => {
  const batched = (config.max_batch_size ?? 0) > 0;
  const states = (config.sequence_batching?.state ?? []).map((state) => {
    const { input_name: input = "", output_name: output = "", data_type: type = "", dims = [] } = state;
    const shape = [...(batched ? [1] : []), ...dims.map((dim) => Math.max(dim, 1))];
    return { input, output, first: initial.get(input) ?? zeros(dtypeOfConfigName(type) ?? "FP32", shape) };
  });
  const outputs = states.map(({ output }) => output);
  return {
    initial: () => new Map(states.map(({ input, first }) => [input, first])),
    empty: (like) => new Map([...like].map(([name, { dtype, shape }]) => [name, zeros(dtype, shape)])),
    outputs: (wanted) => (written && outputs.length > 0 ? [...new Set([...wanted, ...outputs])] : wanted),
    keep: (state, result) => {
      if (!written || "error" in result) return;
      for (const { input, output } of states) {
        const made = result.outputs.get(output);
        if (made !== undefined) state.set(input, inOwnMemory(made));
      }
    },
  };
};

export const zeros = (dtype: TensorData["dtype"], shape: readonly number[]): TensorData =>
  dtype === "BYTES"
    ? { dtype, shape, data: Array.from({ length: elementCount(shape) }, () => new Uint8Array()) }
    : { dtype, shape, data: new Uint8Array(byteLength(dtype, shape)) };
