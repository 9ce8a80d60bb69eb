import { dtypeOfConfigName, type Label } from "@tritype/core";
import type { ModelConfig, ModelInput, ModelOutput } from "@tritype/triton";
import { reshapeMismatch } from "./reshape-mismatch.ts";

/** A tensor of an ensemble as one model declares it. */
export interface TensorPlace {
  readonly tensor: string;
  readonly model: string;
  readonly side: "input" | "output";
  /** The name of the model, or of the ensemble itself. */
  readonly port: string;
  readonly dataType: string | number;
  readonly dims: readonly number[];
  /** The dims, with the batch axis if the model has one. */
  readonly full: readonly number[];
  /** The parts that may be compared with other tensors; excludes a datatype or dims that are refused or completed later. */
  readonly certain: { readonly dataType: boolean; readonly shape: boolean };
  /** Index of the step; undefined for the ensemble's own inputs and outputs. */
  readonly step: number | undefined;
  label(text: string): Label;
}

export const fullDims = (
  { max_batch_size: size = 0 }: ModelConfig,
  dims: readonly number[],
): readonly number[] => (size > 0 ? [-1, ...dims] : dims);

type Declared = ModelInput | ModelOutput;

/** The parts of a declared tensor that stay the same regardless of other fixes. */
export const certainParts = (
  { max_batch_size: size = 0 }: ModelConfig,
  { data_type: type = "TYPE_INVALID", dims = [], reshape }: Declared,
  reshaped: boolean,
): TensorPlace["certain"] => ({
  dataType: type !== "TYPE_INVALID",
  shape:
    size >= 0 &&
    dims.length > 0 &&
    dims.every(isSize) &&
    (!reshaped ||
      reshape === undefined ||
      ((reshape.shape ?? []).every(isSize) && reshapeMismatch(dims, reshape.shape ?? []) === undefined)),
});

const isSize = (dim: number): boolean => dim === -1 || dim > 0;

/** `FP32[-1, 3]`; a dtype that has no name in Triton is shown as written. */
export const showPlace = ({ dataType, full }: Pick<TensorPlace, "dataType" | "full">): string =>
  `${dtypeOfConfigName(String(dataType)) ?? dataType}[${full.join(", ")}]`;

/** Whether two shapes have the same rank, and the sizes in each pair are equal or one of them is -1. */
export const fits = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((dim, i) => dim === -1 || b[i] === -1 || dim === b[i]);

/** Whether Triton considers two declarations to be the same tensor, either as declared or with the batch axes. */
export const agree = (a: TensorPlace, b: TensorPlace): boolean =>
  fits(a.dims, b.dims) || fits(a.full, b.full);
