import { type Dim, showDim, showType, type TensorType } from "@tritype/core";
import { carried, sumCarriers } from "./carrier.ts";
import { broadcastDim, equalDim } from "./dims.ts";
import { accumulating } from "./doubt.ts";
import { needNumeric, needSame } from "./dtype-rules.ts";
import { type Equation, readEquation } from "./equation.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, MixedAxis, OnnxValue, Operator } from "./operator.ts";
import { withoutEmpty } from "./without-empty.ts";

/**
 * Attribute: `equation`, as in NumPy. Products of elements, summed over every label that is absent from the result.
 * Sizes with the same label must be equal or 1; on a diagonal, they must be equal. Integers wrap around. An axis of
 * size 0 fails the run.
 */
export const einsum: Operator = accumulating({
  name: "einsum",
  infer(operands, attributes) {
    const equation = readEquation(attributes["equation"], operands);
    if ("problem" in equation) return equation;
    const first = operandAt(operands, 0);
    for (const [i, x] of operands.entries()) {
      const problem = needNumeric(x, i) ?? needSame(first, x, i);
      if (problem !== undefined) return problem;
    }
    const sizes = bindLabels(equation, operands);
    if ("problem" in sizes) return sizes;
    return single(
      first.dtype,
      equation.result.split("").map((label) => sizes.get(label)?.size ?? -1),
    );
  },
  mixes(operands, attributes) {
    const equation = readEquation(attributes["equation"], operands);
    return "problem" in equation
      ? []
      : equation.terms.flatMap((term, operand) =>
          term.split("").flatMap((_, axis) => fateOf(equation, operand, axis)),
        );
  },
  /** A single 0 makes a product 0. */
  ignoresPadding({ operand, axis, verb }, operands, attributes) {
    if (verb !== "reduces over") return false;
    const equation = readEquation(
      attributes["equation"],
      operands.map(({ type }) => type),
    );
    if ("problem" in equation) return false;
    const label = equation.terms[operand]?.[axis];
    return operands.some(({ padding }, i) =>
      (equation.terms[i] ?? "").split("").some((other, at) => other === label && padding.axes[at] === 0),
    );
  },
  lower(builder, operands, attributes) {
    const { dtype } = operandAt(operands, 0).type;
    const equation = equationText(operands, attributes);
    const names = operands.map((x) => withoutEmpty(builder, x));
    return {
      out: carried(
        builder,
        sumCarriers,
        dtype,
        names,
        (inputs) => builder.node("Einsum", inputs, { equation: { text: equation } })[0],
      ),
    };
  },
});

interface BoundLabel {
  readonly size: Dim;
  /** Index of the first operand that determines the size. */
  readonly from: number;
}

const bindLabels = (
  { terms }: Equation,
  operands: readonly TensorType[],
): ReadonlyMap<string, BoundLabel> | Failed => {
  const sizes = new Map<string, BoundLabel>();
  for (const [operand, x] of operands.entries()) {
    const term = terms[operand] ?? "";
    for (const [axis, label] of term.split("").entries()) {
      const own = x.dims[axis] ?? -1;
      const twin = x.dims[term.indexOf(label)] ?? -1;
      if (equalDim(twin, own) === undefined)
        return differs(label, { size: twin, from: operand }, own, operands, operand);
      const known = sizes.get(label) ?? { size: own, from: operand };
      const size = broadcastDim(known.size, own);
      if (size === undefined) return differs(label, known, own, operands, operand);
      sizes.set(label, { size, from: known.from });
    }
  }
  return sizes;
};

const differs = (
  label: string,
  { size, from }: BoundLabel,
  own: Dim,
  operands: readonly TensorType[],
  operand: number,
): Failed =>
  failed(
    "shape/dim-mismatch",
    `the label ${label} is ${showDim(size)} in ${showType(operandAt(operands, from))} and ${showDim(own)} in ${showType(operandAt(operands, operand))}`,
    { operand, against: from },
  );

const fateOf = ({ terms, result }: Equation, operand: number, axis: number): readonly MixedAxis[] => {
  const term = terms[operand] ?? "";
  const label = term[axis] ?? "";
  const verb = !result.includes(label)
    ? "reduces over"
    : term.indexOf(label) !== term.lastIndexOf(label)
      ? "takes the diagonal of"
      : result.indexOf(label) === axis
        ? undefined
        : "moves";
  return verb === undefined ? [] : [{ operand, axis, verb }];
};

const equationText = (operands: readonly OnnxValue[], attributes: Attributes): string => {
  const equation = readEquation(
    attributes["equation"],
    operands.map((x) => x.type),
  );
  return "problem" in equation ? "" : `${equation.terms.join(",")}->${equation.result}`;
};
