import { type DType, dtypes, type Scalar, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import type { Attributes } from "@tritype/operators";
import type { NdArray, Reference } from "../../packages/operators/src/nd-array.fixture.ts";
import { operatorCases } from "../../packages/operators/src/operator-cases.fixture.ts";

/** Operators that have a reference. */
export const referenced: readonly string[] = [...operatorCases].flatMap(([name, { reference }]) =>
  reference === undefined ? [] : [name],
);

/** The expected answer of the operator, in the dtypes of its results. */
export const expectedOf = (
  operator: string,
  feeds: readonly TensorData[],
  attributes: Attributes,
  dtypeOf: (output: string) => DType,
): Readonly<Record<string, TensorData>> => {
  const arrays = feeds.map((tensor) => ({ dims: tensor.shape, values: exact(tensor) }));
  const reference = operatorCases.get(operator)?.reference;
  if (reference === undefined) throw new Error(`no reference of ${operator}`);
  const answer = reference(arrays, attributes);
  const outputs = isSingle(answer) ? { out: answer } : answer;
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { dims, values }]) => [name, tensorOf(dtypeOf(name), dims, values)]),
  );
};

const isSingle = (answer: ReturnType<Reference>): answer is NdArray => Array.isArray(answer["dims"]);

const exact = (tensor: TensorData): Scalar[] =>
  dtypes[tensor.dtype].family === "int" ? valuesOf(tensor).map((x) => BigInt(x as number)) : valuesOf(tensor);
