import { isDType, type TensorType, showType, tensorOf } from "@tritype/core";
import { knownNewAxis, movedAxes, resolveNewAxis } from "./axis.ts";
import { castNode } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { needIndices, refuseBf16 } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, outOf, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, OnnxValue, Operator } from "./operator.ts";

/**
 * Attributes: `depth`, `axis` (where the new axis stands in the result), `to` (a dtype). Each index becomes `depth` zeros with
 * a one at its place; negative indices count from the end; one outside gives zeros only.
 */
export const oneHot: Operator = {
  name: "oneHot",
  infer(operands, attributes) {
    const indices = operandAt(operands, 0);
    const problem = needIndices(indices, 0) ?? optionProblem(indices, attributes);
    if (problem !== undefined) return problem;
    const resolved = resolveNewAxis(indices.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const { to, depth } = attributes;
    return typeof to === "string" && isDType(to)
      ? single(to, spliceDims(indices.dims, resolved.axis, resolved.axis, Number(depth)))
      : failed("dtype/not-supported", `${JSON.stringify(to)} is not a dtype`);
  },
  mixes(operands, { axis }) {
    const { dims } = operandAt(operands, 0);
    return movedAxes(0, knownNewAxis(dims, axis), dims.length, 1);
  },
  lower(builder, operands, attributes, outputs) {
    const { name, type } = operandAt(operands, 0);
    const indices = type.dtype === "INT64" ? name : castNode(builder, name, "INT64");
    const { dtype } = outOf(outputs);
    const inside = dtype === "FP32" ? "FP32" : "INT64";
    const scalar = type.dims.length === 0;
    const axis = scalar ? 1 : knownNewAxis(type.dims, attributes["axis"]);
    const zero = builder.constant(tensorOf("INT64", [1], [0]));
    const inputs = [
      scalar ? builder.node("Unsqueeze", [indices, zero])[0] : indices,
      builder.constant(tensorOf("INT64", [], [Number(attributes["depth"])])),
      builder.constant(tensorOf(inside, [2], [0, 1])),
    ];
    const [rows] = builder.node("OneHot", inputs, { axis: { int: axis } });
    const hot = scalar ? builder.node("Squeeze", [rows, zero])[0] : rows;
    return { out: dtype === inside ? hot : castNode(builder, hot, dtype) };
  },
};

const optionProblem = (indices: TensorType, { to, depth }: Attributes): Failed | undefined => {
  if (!Number.isSafeInteger(depth) || Number(depth) < 1)
    return failed(
      "operator/bad-option",
      `the depth of oneHot is a whole number of 1 or more, got ${JSON.stringify(depth)}`,
    );
  const shown = `${showType(indices)} as ${String(to)}`;
  if (to === "BYTES")
    return failed("dtype/not-supported", `${shown}: text has no zero and no one`, {
      help: "take a dtype of numbers, as fp32",
    });
  return to === "BF16" ? refuseBf16(to, shown) : undefined;
};
