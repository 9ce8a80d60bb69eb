import type { NamedTensors, TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { Labels } from "../repository/read-labels.ts";
import { classify } from "./classify.ts";
import { reshapeDims } from "./reshape-dims.ts";

/**
 * The outputs that a client gets from those of the model: the requested ones, in the model's order, with `reshape`
 * undone; ranked if classes are requested.
 */
export type ResponseOutputs = (
  made: NamedTensors,
  wanted: readonly string[],
  classes?: ReadonlyMap<string, number>,
) => NamedTensors;

/** As in Triton, unrequested outputs are silently dropped, and missing ones are not detected. */
export const createResponseOutputs = (config: ModelConfig, labels: Labels = new Map()): ResponseOutputs => {
  const batched = (config.max_batch_size ?? 0) > 0;
  const reshapes = new Map(
    (config.output ?? []).flatMap(({ name = "", dims = [], reshape }) =>
      reshape ? [[name, { from: reshape.shape ?? [], to: dims }] as const] : [],
    ),
  );
  const reshaped = (name: string, tensor: TensorData): TensorData => {
    const reshape = reshapes.get(name);
    if (reshape === undefined) return tensor;
    const row = batched ? tensor.shape.slice(1) : tensor.shape;
    const dims = reshapeDims(reshape.from, reshape.to, row);
    return { ...tensor, shape: batched ? [tensor.shape[0] ?? 1, ...dims] : dims };
  };
  return (made, wanted, classes) => {
    const outputs = new Map<string, TensorData>();
    for (const [name, tensor] of made) {
      if (!wanted.includes(name)) continue;
      const output = reshaped(name, tensor);
      const count = classes?.get(name);
      outputs.set(
        name,
        count === undefined ? output : classify(name, output, count, batched, labels.get(name) ?? []),
      );
    }
    return outputs;
  };
};
