import { type Dim, type DType, showType, type TensorType } from "@tritype/core";
import { type Attributes, operators } from "./index.ts";

/** `FP32[batch, 4]` → the type it denotes. */
export const parseType = (text: string): TensorType => {
  const [, dtype, dims = ""] = /^(\w+)\[(.*)\]$/.exec(text) ?? [];
  const parts = dims === "" ? [] : dims.split(", ");
  return { dtype: dtype as DType, dims: parts.map((dim): Dim => (/^-?\d+$/.test(dim) ? Number(dim) : dim)) };
};

/** The result types, or `code: sentence`. */
export const infer = (operator: string, operands: string, attributes: Attributes): string => {
  const types = operands === "" ? [] : operands.split(" ; ").map(parseType);
  const { outputs, problem } = operators.get(operator)?.infer(types, attributes) ?? {};
  if (problem !== undefined) return `${problem.code}: ${problem.message}`;
  return Object.values(outputs ?? {})
    .map(showType)
    .join(" ; ");
};
