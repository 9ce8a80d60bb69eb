import { type Dim, type DType, showType, type TensorType } from "@tritype/core";
import { type Attributes, operators, type PaddedOperand } from "./index.ts";

/**
 * Parses operands such as `FP32[batch, seq=0, 4] ; FP32[]=1`: the first is 0 at the padding of "seq", and the scalar is
 * 1 everywhere.
 */
export const parseOperands = (text: string): readonly PaddedOperand[] =>
  text === "" ? [] : text.split(" ; ").map(parseOperand);

const parseOperand = (text: string): PaddedOperand => {
  const [, dtype, inner = "", all] = /^(\w+)\[(.*)\](?:=(.+))?$/.exec(text) ?? [];
  const axes = (inner === "" ? [] : inner.split(", ")).map((axis) => axis.split("="));
  const numberOf = (value: string | undefined): number | undefined =>
    value === undefined ? undefined : Number(value);
  return {
    type: {
      dtype: dtype as DType,
      dims: axes.map(([dim = ""]): Dim => (/^-?\d+$/.test(dim) ? Number(dim) : dim)),
    },
    padding: {
      axes: axes.map(([, value]) => numberOf(value)),
      ...(all === undefined ? {} : { all: Number(all) }),
    },
  };
};

export const parseTypes = (text: string): readonly TensorType[] =>
  parseOperands(text).map(({ type }) => type);

/** The result types, or `code: sentence`. */
export const infer = (operator: string, operands: string, attributes: Attributes): string => {
  const { outputs, problem } = operators.get(operator)?.infer(parseTypes(operands), attributes) ?? {};
  if (problem !== undefined) return `${problem.code}: ${problem.message}`;
  return Object.values(outputs ?? {})
    .map(showType)
    .join(" ; ");
};
