import {
  type DType,
  type Dim,
  dtypes as dtypeFacts,
  elementCount,
  type Scalar,
  type TensorData,
  type TensorType,
  tensorOf,
} from "@tritype/core";
import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { runnable } from "../../packages/operators/src/dtypes.fixture.ts";
import type { Operand } from "../../packages/operators/src/layouts.fixture.ts";
import { operatorCases } from "../../packages/operators/src/operator-cases.fixture.ts";
import type { OperatorCall } from "./run-operator.ts";

/** A call with concrete sizes, and its values. */
export interface ConcreteCall extends OperatorCall {
  readonly feeds: readonly TensorData[];
}

/**
 * Calls that run: those of `dtypes` that `infer` accepts for the subject, concrete sizes and small values, including
 * the `odd` ones for floats.
 */
export const arbitraryCall = (
  operator: string,
  dtypes: readonly DType[] = runnable,
  odd: readonly number[] = [],
): fc.Arbitrary<ConcreteCall> => {
  const cases = operatorCases.get(operator);
  if (cases === undefined) throw new Error(`no cases for ${operator}`);
  return cases.layout.chain(({ operands, attributes }) =>
    fc.constantFrom(...subjectDTypes(operator, operands, attributes, dtypes)).chain((subject) =>
      fc
        .tuple(...operands.map((operand) => feedOf(operand, subject, cases.divides === true, odd)))
        .map((feeds) => ({
          operator,
          operands: feeds.map(({ dtype, shape }): TensorType => ({ dtype, dims: shape })),
          attributes,
          feeds,
        })),
    ),
  );
};

const subjectDTypes = (
  name: string,
  operands: readonly Operand[],
  attributes: OperatorCall["attributes"],
  among: readonly DType[],
): readonly DType[] => {
  const accepted = among.filter((dtype) => {
    const types = operands.map((x) => ({ dtype: x.dtypes?.[0] ?? dtype, dims: x.dims }));
    return operators.get(name)?.infer(types, attributes).outputs !== undefined;
  });
  if (accepted.length === 0)
    throw new Error(`${name} accepts no dtype: ${JSON.stringify([operands, attributes])}`);
  return accepted;
};

const feedOf = (
  operand: Operand,
  subject: DType,
  isDivisor: boolean,
  odd: readonly number[],
): fc.Arbitrary<TensorData> =>
  fc.constantFrom(...(operand.dtypes ?? [subject])).chain((dtype) => {
    const count = elementCount(operand.dims);
    const small =
      operand.below === undefined
        ? fc.integer({ min: -8, max: 8 })
        : fc.integer({ min: 0, max: operand.below - 1 });
    const element = small.map((value) => elementOf(dtype, isDivisor ? value || 1 : value));
    const isFloat = dtypeFacts[dtype].family === "float";
    const any = odd.length > 0 && isFloat ? fc.oneof(element, fc.constantFrom<Scalar>(...odd)) : element;
    return fc
      .array(any, { minLength: count, maxLength: count })
      .map((elements) => tensorOf(dtype, operand.dims, elements));
  });

const elementOf = (dtype: DType, value: number): Scalar => {
  const { family, range } = dtypeFacts[dtype];
  if (family === "bytes") return String(Math.abs(value));
  if (family === "bool") return value > 0;
  if (family === "float") return value / 4;
  return range?.[0] === 0n ? Math.abs(value) : value;
};

/** The same call with some sizes named or unknown; equal sizes share a name, including in attributes. */
export const hidden = (call: ConcreteCall): fc.Arbitrary<OperatorCall> =>
  fc
    .tuple(
      fc.array(fc.constantFrom("literal", "literal", "name", "unknown"), { minLength: 16, maxLength: 16 }),
      fc.boolean(),
    )
    .map(([choices, namesInAttributes]) => {
      const operands = call.operands.map(({ dtype, dims }, i) => ({
        dtype,
        dims: dims.map((dim, j): Dim => {
          const choice = choices[(i * 4 + j) % choices.length];
          return choice === "name" ? nameOf(Number(dim)) : choice === "unknown" ? -1 : dim;
        }),
      }));
      const names = operands.flatMap((x) => x.dims);
      const { dims } = call.attributes;
      if (!namesInAttributes || !Array.isArray(dims)) return { ...call, operands };
      const written = dims.map((dim: Dim) =>
        names.includes(nameOf(Number(dim))) ? nameOf(Number(dim)) : dim,
      );
      return { ...call, operands, attributes: { ...call.attributes, dims: written } };
    });
const nameOf = (size: number): string => `n${size}`;
/** The actual size of a dim in a call with hidden sizes; undefined for -1. */
export const sizeOfDim = (dim: Dim): number | undefined =>
  typeof dim === "string" ? Number(dim.slice(1)) : dim === -1 ? undefined : dim;
