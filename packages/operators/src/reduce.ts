import { type DType, type TensorType, tensorOf } from "@tritype/core";
import { knownAxis, movedAxes, resolveAxis } from "./axis.ts";
import { type Carriers, carried, castInto, lowestCarriers, rankCarriers, sumCarriers } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { lacks, needFloat, needNumeric, needRanked } from "./dtype-rules.ts";
import { type Failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxAttribute, OnnxBuilder, Operator } from "./operator.ts";

interface ReductionDefinition {
  readonly name: string;
  readonly accepts: (type: TensorType, operand: number) => Failed | undefined;
  /** The result's dtype where it is not the operand's. */
  readonly result?: DType;
  readonly emit: (builder: OnnxBuilder, x: string, axis: number, keep: OnnxAttribute, dtype: DType) => string;
}

/** An operator that makes one element of all along `axis`; `keepDims` (default false) leaves a size of 1 there. */
const reduction = ({ name, accepts, result, emit }: ReductionDefinition): Operator => ({
  name,
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const problem = accepts(x, 0);
    if (problem !== undefined) return problem;
    const resolved = resolveAxis(x.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const kept = keepsDims(attributes) ? [1] : [];
    return single(result ?? x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis + 1, ...kept));
  },
  mixes(operands, attributes) {
    const { dims } = operandAt(operands, 0);
    const axis = knownAxis(dims, attributes["axis"]);
    return [
      { operand: 0, axis, verb: "reduces over" },
      ...movedAxes(0, axis + 1, dims.length, keepsDims(attributes) ? 0 : -1),
    ];
  },
  lower(builder, operands, attributes) {
    const { name: x, type } = operandAt(operands, 0);
    const axis = knownAxis(type.dims, attributes["axis"]);
    return { out: emit(builder, x, axis, { int: keepsDims(attributes) ? 1 : 0 }, type.dtype) };
  },
});

const keepsDims = (attributes: Attributes): boolean => attributes["keepDims"] === true;

/** From opset 13 on ReduceSum takes its axes as an input; the other reductions do from 18 on. */
const reduceSum = (builder: OnnxBuilder, x: string, axis: number, keepdims: OnnxAttribute): string =>
  builder.node("ReduceSum", [x, builder.constant(tensorOf("INT64", [1], [axis]))], { keepdims })[0];

/** Integers wrap around. */
export const sum: Operator = reduction({
  name: "sum",
  accepts: needNumeric,
  emit: (builder, x, axis, keep, dtype) =>
    carried(builder, sumCarriers, dtype, [x], ([inside = x]) => reduceSum(builder, inside, axis, keep)),
});

export const mean: Operator = reduction({
  name: "mean",
  accepts: needFloat,
  emit: (builder, x, axis, keepdims) =>
    builder.node("ReduceMean", [x], { axes: { ints: [axis] }, keepdims })[0],
});

/** Integers wrap around. ONNX Runtime multiplies FP64 from 1.20 on only. */
export const prod: Operator = reduction({
  name: "prod",
  accepts: (type, operand) =>
    needNumeric(type, operand) ?? (type.dtype === "FP64" ? lacks(type, "prod", operand) : undefined),
  emit: (builder, x, axis, keepdims, dtype) =>
    carried(
      builder,
      sumCarriers,
      dtype,
      [x],
      (inputs) => builder.node("ReduceProd", inputs, { axes: { ints: [axis] }, keepdims })[0],
    ),
});

/** log(sum(exp(x))), finite where that is, whatever exp(x) is. */
export const logSumExp: Operator = reduction({
  name: "logSumExp",
  accepts: needFloat,
  emit: (builder, x, axis, keepdims) =>
    builder.node("ReduceLogSumExp", [x], { axes: { ints: [axis] }, keepdims })[0],
});

const extreme = (name: string, opType: string, carriers: Carriers): Operator =>
  reduction({
    name,
    accepts: needRanked(name),
    emit: (builder, x, axis, keepdims, dtype) =>
      carried(
        builder,
        carriers,
        dtype,
        [x],
        (inputs) => builder.node(opType, inputs, { axes: { ints: [axis] }, keepdims })[0],
      ),
  });

export const max: Operator = extreme("max", "ReduceMax", rankCarriers);
export const min: Operator = extreme("min", "ReduceMin", rankCarriers);

/** Index of the largest element; of the first one on a tie. */
export const argmax: Operator = reduction({
  name: "argmax",
  accepts: needRanked("argmax"),
  result: "INT64",
  emit: (builder, x, axis, keepdims, dtype) => {
    const inside = castInto(builder, rankCarriers, x, dtype);
    return builder.node("ArgMax", [inside], { axis: { int: axis }, keepdims })[0];
  },
});

/** Index of the smallest element; of the first one on a tie. */
export const argmin: Operator = reduction({
  name: "argmin",
  accepts: needRanked("argmin"),
  result: "INT64",
  emit(builder, x, axis, keepdims, dtype) {
    const attributes = { axis: { int: axis }, keepdims };
    if (dtype === "INT64" || dtype === "UINT32")
      return builder.node("ArgMax", [reversed(builder, x, dtype)], attributes)[0];
    return builder.node("ArgMin", [castInto(builder, lowestCarriers, x, dtype)], attributes)[0];
  },
});

/** As INT64 in the opposite order: -1 - x does not overflow. ONNX Runtime 1.19 has no ArgMin of INT64. */
const reversed = (builder: OnnxBuilder, x: string, dtype: DType): string => {
  const inside = castInto(builder, rankCarriers, x, dtype);
  return builder.node("Sub", [builder.constant(tensorOf("INT64", [], [-1n])), inside])[0];
};
