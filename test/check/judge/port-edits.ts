import type { DataType, ModelConfig, ModelInput, ModelOutput } from "@tritype/triton";
import { changeConfig, type Edit } from "./draft.ts";
import { dataTypes } from "./legal-single.ts";

/** The type after this one. */
const otherType = ({ data_type = "TYPE_FP32" }: { readonly data_type?: DataType }, by = 1): DataType =>
  dataTypes[(dataTypes.indexOf(data_type) + by) % dataTypes.length] ?? "TYPE_FP32";

/** Replaces the type with the one this many positions later. */
export const retyped =
  (by = 1) =>
  (port: ModelInput & ModelOutput): { readonly data_type: DataType } => ({ data_type: otherType(port, by) });

/** Replaces the dims of a matrix. */
export const redimmed =
  (change: (x: number, y: number) => readonly number[]) =>
  ({ dims: [x = 2, y = 3] = [] }: ModelInput & ModelOutput): { readonly dims: readonly number[] } => ({
    dims: change(x, y),
  });

/** Adds a reshape whose target shape is computed from the dims of a matrix. */
export const reshaped =
  (change: (x: number, y: number) => readonly number[]) => (port: ModelInput & ModelOutput) => ({
    reshape: { shape: redimmed(change)(port).dims },
  });

/** Adds outputs like the first one. */
export const moreOutputs = (...names: readonly string[]): Edit =>
  changeConfig(({ output = [], ...config }) => ({
    ...config,
    output: [...output, ...names.map((name) => ({ ...output[0], name }))],
  }));

/** Adds a tensor `K` whose type differs from that of the first tensor. */
export const more =
  (side: "input" | "output", where: "before" | "after", fields: ModelInput = {}) =>
  (config: ModelConfig): ModelConfig => {
    const own = config[side] ?? [];
    const one = { name: "K", data_type: otherType(own[0] ?? {}), dims: [1], ...fields };
    return { [side]: where === "before" ? [one, ...own] : [...own, one] };
  };

/** Increases the maximum batch size. */
export const larger =
  (by: number) =>
  ({ max_batch_size = 0 }: ModelConfig): ModelConfig => ({ max_batch_size: max_batch_size + by });
