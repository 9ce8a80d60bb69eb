import { type DType, invariant, type TensorType, tensorOf } from "@tritype/core";
import { attributesOf, optionsOf } from "./arguments.ts";
import { knownAxis, movedAxes, resolveAxis } from "./axis.ts";
import { type Carriers, carried, castInto, rankCarriers, sumCarriers } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { accumulating } from "./doubt.ts";
import { lacks, needFloat, needNumeric, needRanked } from "./dtype-rules.ts";
import { type Failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, Operator } from "./operator.ts";
import { withoutEmpty } from "./without-empty.ts";

type Keep = { readonly int: 0 | 1 };

interface ReductionDefinition {
  readonly name: string;
  readonly accepts: (type: TensorType, operand: number) => Failed | undefined;
  /** The dtype of the result if it differs from the operand's. */
  readonly result?: DType;
  readonly emit: (builder: OnnxBuilder, x: string, axis: number, keep: Keep, type: TensorType) => string;
  /** The neutral element. Default: none. */
  readonly neutral?: number;
}

/** An operator that reduces the elements along `axis` to one; `keepDims` (default false) keeps the axis with size 1. */
const reduction = ({ name, accepts, result, emit, neutral }: ReductionDefinition): Operator => ({
  name,
  readArguments: ([axis, options]) => ({
    operands: [],
    attributes: { ...attributesOf([["axis", axis]]), keepDims: optionsOf(options)["keepDims"] === true },
  }),
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
  padding([x], attributes) {
    if (x === undefined || neutral === undefined) return { axes: [] };
    const axis = knownAxis(x.type.dims, attributes["axis"]);
    const kept = x.padding.axes.map((value) => (value === neutral ? value : undefined));
    return { axes: kept.toSpliced(axis, 1, ...(keepsDims(attributes) ? [undefined] : [])) };
  },
  ignoresPadding: ({ axis }, [x]) => neutral !== undefined && x?.padding.axes[axis] === neutral,
  lower(builder, operands, attributes) {
    const { name: x, type } = operandAt(operands, 0);
    const axis = knownAxis(type.dims, attributes["axis"]);
    return { out: emit(builder, x, axis, { int: keepsDims(attributes) ? 1 : 0 }, type) };
  },
});

const keepsDims = (attributes: Attributes): boolean => attributes["keepDims"] === true;

/** ReduceSum takes its axes as an input from opset 13 on, the other reductions from 18 on. */
const reduceSum = (builder: OnnxBuilder, x: string, axis: number, keepdims: Keep): string =>
  builder.node("ReduceSum", [x, builder.constant(tensorOf("INT64", [1], [axis]))], { keepdims })[0];

const reducedBy =
  (opType: string, carriers: Carriers = {}): ReductionDefinition["emit"] =>
  (builder, x, axis, keepdims, { dtype }) =>
    carried(
      builder,
      carriers,
      dtype,
      [x],
      (inputs) => builder.node(opType, inputs, { axes: { ints: [axis] }, keepdims })[0],
    );

/** Integers wrap around. */
export const sum: Operator = accumulating(
  reduction({
    name: "sum",
    accepts: needNumeric,
    neutral: 0,
    emit: (builder, x, axis, keep, { dtype }) =>
      carried(builder, sumCarriers, dtype, [x], ([inside = x]) => reduceSum(builder, inside, axis, keep)),
  }),
);

export const mean: Operator = reduction({
  name: "mean",
  accepts: needFloat,
  emit: reducedBy("ReduceMean"),
});

/** Integers wrap around. ONNX Runtime multiplies FP64 only from 1.20 on. */
export const prod: Operator = accumulating(
  reduction({
    name: "prod",
    neutral: 1,
    accepts: (type, operand) =>
      needNumeric(type, operand) ?? (type.dtype === "FP64" ? lacks(type, "prod", operand) : undefined),
    emit: reducedBy("ReduceProd", sumCarriers),
  }),
);

/** log(sum(exp(x))), finite whenever the true result is, even if exp(x) overflows. */
export const logSumExp: Operator = reduction({
  name: "logSumExp",
  accepts: needFloat,
  neutral: -Infinity,
  emit: reducedBy("ReduceLogSumExp"),
});

const extreme = (name: string, opType: string, neutral: number): Operator =>
  reduction({ name, neutral, accepts: needRanked(name), emit: reducedBy(opType, rankCarriers) });

export const max: Operator = extreme("max", "ReduceMax", -Infinity);
export const min: Operator = extreme("min", "ReduceMin", Infinity);

/** ONNX Runtime 1.19 lacks ArgMax and ArgMin for INT64. TopK supports it, and also takes the first element in a tie. */
const position = (name: string, opType: string, largest: number): Operator => ({
  positions: (operands, { axis }) => ({ output: "out", axis: knownAxis(operandAt(operands, 0).dims, axis) }),
  ...reduction({
    name,
    accepts: needRanked(name),
    result: "INT64",
    emit(builder, x, axis, keepdims, type) {
      const dtype = rankCarriers[type.dtype] ?? type.dtype;
      if (dtype !== "INT64") {
        const inside = castInto(builder, rankCarriers, x, type.dtype);
        return builder.node(opType, [inside], { axis: { int: axis }, keepdims })[0];
      }
      const inside = castInto(builder, rankCarriers, withoutEmpty(builder, { name: x, type }), type.dtype);
      const one = builder.constant(tensorOf("INT64", [1], [1]));
      const attributes = { axis: { int: axis }, largest: { int: largest }, sorted: { int: 1 } };
      const indices = builder.node("TopK", [inside, one], attributes, 2)[1];
      invariant(indices !== undefined, "TopK has two outputs");
      if (keepdims.int === 1) return indices;
      return builder.node("Squeeze", [indices, builder.constant(tensorOf("INT64", [1], [axis]))])[0];
    },
  }),
});

/** Index of the largest element, or of the first one in a tie. An empty INT64 or UINT32 tensor fails the run. */
export const argmax: Operator = position("argmax", "ArgMax", 1);
/** Index of the smallest element; like `argmax`. */
export const argmin: Operator = position("argmin", "ArgMin", 0);
