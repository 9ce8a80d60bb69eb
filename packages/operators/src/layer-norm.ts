import { type Dims, type Json, showDims, showType, type TensorType, tensorOf } from "@tritype/core";
import { attributesOf, optionsOf } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { equalDims } from "./dims.ts";
import { needFloat, needSame } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, MixedAxis, OnnxBuilder, OnnxValue, Operator } from "./operator.ts";
import { shapeVector } from "./shape-vector.ts";

/**
 * Attributes: `axis`, the first normalized axis (all later ones are normalized too); `epsilon`, which is added to the
 * variance; `scale` and `bias`, whether these operands follow, each with the dims from the axis on. Mean 0 and variance
 * 1, then scale and bias.
 */
export const layerNorm: Operator = {
  name: "layerNorm",
  readArguments([axis, options]) {
    const { scale, bias, epsilon = 1e-5 } = optionsOf(options);
    const given = { scale: scale !== undefined, bias: bias !== undefined };
    return {
      operands: [scale, bias].filter((weight) => weight !== undefined),
      attributes: {
        ...attributesOf([
          ["axis", axis],
          ["epsilon", epsilon],
        ]),
        ...given,
      },
    };
  },
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const problem = needFloat(x, 0) ?? epsilonProblem(attributes["epsilon"]);
    if (problem !== undefined) return problem;
    const resolved = resolveAxis(x.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    for (const [role, at] of Object.entries(placesOf(attributes))) {
      const wrong = weightProblem(x, operandAt(operands, at), role, resolved.axis, at);
      if (wrong !== undefined) return wrong;
    }
    return single(x.dtype, x.dims);
  },
  mixes(operands, { axis }) {
    const x = operandAt(operands, 0);
    const first = knownAxis(x.dims, axis);
    return operands.flatMap((operand, i): readonly MixedAxis[] =>
      operand.dims.flatMap((_, at) =>
        i > 0 || at >= first ? [{ operand: i, axis: at, verb: "normalizes over" }] : [],
      ),
    );
  },
  lower(builder, operands, attributes) {
    const x = operandAt(operands, 0);
    const axis = knownAxis(x.type.dims, attributes["axis"]);
    const places = placesOf(attributes);
    const scale =
      places["scale"] === undefined ? ones(builder, x, axis) : operandAt(operands, places["scale"]).name;
    const bias = places["bias"] === undefined ? [] : [operandAt(operands, places["bias"]).name];
    const epsilon = { float: Number(attributes["epsilon"]) };
    return {
      out: builder.node("LayerNormalization", [x.name, scale, ...bias], { axis: { int: axis }, epsilon })[0],
    };
  },
};

/** The positions of the scale and the bias among the operands. */
const placesOf = ({ scale, bias }: Attributes): Readonly<Record<string, number>> => ({
  ...(scale === true && { scale: 1 }),
  ...(bias === true && { bias: scale === true ? 2 : 1 }),
});

const epsilonProblem = (epsilon: Json | undefined): Failed | undefined =>
  typeof epsilon === "number" && epsilon >= 0
    ? undefined
    : failed("operator/bad-option", `epsilon must be 0 or more, got ${JSON.stringify(epsilon)}`);

const weightProblem = (
  x: TensorType,
  weight: TensorType,
  role: string,
  axis: number,
  operand: number,
): Failed | undefined => {
  const normalized = x.dims.slice(axis);
  const different = needSame(x, weight, operand);
  if (different !== undefined || equalDims(weight.dims, normalized) !== undefined) return different;
  return failed(
    weight.dims.length === normalized.length ? "shape/dim-mismatch" : "shape/rank-mismatch",
    `the ${role} ${showType(weight)} does not have the normalized dims ${showDims(normalized)}`,
    { operand, against: 0 },
  );
};

const ones = (builder: OnnxBuilder, { name, type }: OnnxValue, axis: number): string => {
  const dims: Dims = type.dims.slice(axis);
  if (dims.every((dim) => typeof dim === "number" && dim !== -1)) {
    const count = dims.reduce<number>((n, dim) => n * Number(dim), 1);
    return builder.constant(
      tensorOf(
        type.dtype,
        dims as readonly number[],
        Array.from({ length: count }, () => 1),
      ),
    );
  }
  const shape = shapeVector(
    builder,
    name,
    dims.map((dim, i) => (typeof dim === "number" && dim !== -1 ? dim : { axis: axis + i })),
  );
  return builder.node("Expand", [builder.constant(tensorOf(type.dtype, [], [1])), shape])[0];
};
