import { isDType, type TensorType, showType, tensorOf } from "@tritype/core";
import { dtypeArgument, named } from "./arguments.ts";
import { knownNewAxis, movedAxes, resolveNewAxis } from "./axis.ts";
import { castNode } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { needIndices, refuseBf16 } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, outOf, single } from "./inferred.ts";
import { notADType } from "./not-a-dtype.ts";
import type { Attributes, OnnxBuilder, Operator } from "./operator.ts";

/**
 * Attributes: `depth`, `axis` (position of the new axis in the result), `to` (a dtype). Each index becomes `depth`
 * zeros with a one at its position; negative indices count from the end. An index that is out of range gives only
 * zeros.
 */
export const oneHot: Operator = {
  name: "oneHot",
  readArguments: ([depth, axis, to]) => named("depth", "axis", "to")([depth, axis, dtypeArgument(to)]),
  infer(operands, attributes) {
    const indices = operandAt(operands, 0);
    const problem = needIndices(indices, 0) ?? optionProblem(indices, attributes);
    if (problem !== undefined) return problem;
    const resolved = resolveNewAxis(indices.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const { to, depth } = attributes;
    return typeof to === "string" && isDType(to)
      ? single(to, spliceDims(indices.dims, resolved.axis, resolved.axis, Number(depth)))
      : notADType(to);
  },
  mixes(operands, { axis }) {
    const { dims } = operandAt(operands, 0);
    return movedAxes(0, knownNewAxis(dims, axis), dims.length, 1);
  },
  lower(builder, operands, attributes, outputs) {
    const { name, type } = operandAt(operands, 0);
    const axis = knownNewAxis(type.dims, attributes["axis"]);
    const depth = Number(attributes["depth"]);
    const indices = fromTheFront(
      builder,
      type.dtype === "INT64" ? name : castNode(builder, name, "INT64"),
      depth,
    );
    const place = builder.constant(tensorOf("INT64", [1], [axis]));
    const [column] = builder.node("Unsqueeze", [indices, place]);
    const shape = [depth, ...type.dims.slice(axis).map(() => 1)];
    const positions = builder.constant(
      tensorOf(
        "INT64",
        shape,
        Array.from({ length: depth }, (_, i) => i),
      ),
    );
    const [hot] = builder.node("Equal", [column, positions]);
    const { dtype } = outOf(outputs);
    return { out: dtype === "BOOL" ? hot : castNode(builder, hot, dtype) };
  },
};

/**
 * Up to ONNX Runtime 1.19, OneHot crashes the process on an empty tensor, so the indices are compared with every
 * position instead.
 */
const fromTheFront = (builder: OnnxBuilder, indices: string, depth: number): string => {
  const [zero, size] = [0, depth].map((value) => builder.constant(tensorOf("INT64", [], [value]))) as [
    string,
    string,
  ];
  const [isNegative] = builder.node("Less", [indices, zero]);
  const [counted] = builder.node("Add", [indices, size]);
  return builder.node("Where", [isNegative, counted, indices])[0];
};

/** A larger depth must be a mistake, because the model contains every position. */
const most = 1_000_000;

const optionProblem = (indices: TensorType, { to, depth }: Attributes): Failed | undefined => {
  if (!Number.isInteger(depth) || Number(depth) < 1 || Number(depth) > most)
    return failed(
      "operator/bad-option",
      `the depth of oneHot must be a whole number from 1 to ${most}, got ${JSON.stringify(depth)}`,
    );
  const shown = `${showType(indices)} as ${typeof to === "string" ? to : "?"}`;
  if (to === "BYTES")
    return failed("dtype/not-supported", `${shown}: text has no 0 and 1`, {
      help: "use a numeric dtype such as fp32",
    });
  return to === "BF16" ? refuseBf16(to, shown) : undefined;
};
