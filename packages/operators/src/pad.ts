import { type Dim, type Json, showType, type TensorType, tensorOf } from "@tritype/core";
import { named, optionsOf } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { castInto, castNode, orderCarriers } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { type ReadElement, readElement } from "./element.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, OnnxValue, Operator } from "./operator.ts";

/**
 * Attributes: `axis`, the number of elements to add `before` and `after`, and `mode`. "constant" adds `value` (as
 * `readElement` reads it; default 0 or false), "edge" repeats the first and the last element, and "reflect" mirrors the
 * elements next to them. An axis that is too short for the mode makes the run fail.
 */
export const pad: Operator = {
  name: "pad",
  readArguments([axis, before, after, options]) {
    const { mode = "constant", value } = optionsOf(options);
    return named("axis", "before", "after", "mode", "value")([axis, before, after, mode, value]);
  },
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    if (x.dtype === "BYTES")
      return failed("dtype/not-supported", `ONNX Runtime does not support pad for ${showType(x)}`, {
        operand: 0,
        help: "join strings with concat()",
      });
    const resolved = resolveAxis(x.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const problem = paddingProblem(x, resolved.axis, attributes);
    if (problem !== undefined) return problem;
    const size = padded(
      x.dims[resolved.axis] ?? -1,
      Number(attributes["before"]) + Number(attributes["after"]),
    );
    return single(x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis + 1, size));
  },
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "pads" },
  ],
  lower(builder, operands, attributes) {
    const x = operandAt(operands, 0);
    const axis = knownAxis(x.type.dims, attributes["axis"]);
    const out =
      attributes["mode"] === "constant"
        ? withConstant(builder, x, axis, attributes)
        : withOwnElements(builder, x, axis, attributes);
    return { out };
  },
};

/** A larger number must be a mistake; "edge" and "reflect" write every position into the model. */
const most = 1_000_000;
const isCount = (count: Json | undefined): boolean =>
  Number.isInteger(count) && Number(count) >= 0 && Number(count) <= most;

const paddingProblem = (
  x: TensorType,
  axis: number,
  { before, after, mode, value }: Attributes,
): Failed | undefined => {
  if (!isCount(before) || !isCount(after))
    return failed(
      "operator/bad-option",
      `pad takes whole numbers from 0 to ${most}, got ${JSON.stringify(isCount(before) ? after : before)}`,
      { help: "cut with .slice()" },
    );
  if (mode === "constant") {
    const read = readValue(x, value);
    return read.problem === undefined ? undefined : read;
  }
  if (mode !== "edge" && mode !== "reflect")
    return failed(
      "operator/bad-option",
      `the modes of pad are "constant", "edge" and "reflect", got ${JSON.stringify(mode)}`,
    );
  const size = x.dims[axis] ?? -1;
  const longest = Math.max(Number(before), Number(after));
  const needed = longest === 0 ? 0 : mode === "edge" ? 1 : longest + 1;
  return typeof size === "number" && size !== -1 && size < needed
    ? failed(
        "shape/dim-mismatch",
        `${mode} padding by ${longest} needs ${needed} elements, but axis ${axis} of ${showType(x)} has ${size}`,
        { operand: 0 },
      )
    : undefined;
};

const readValue = (x: TensorType, value: Json | undefined): ReadElement =>
  readElement(x.dtype, value ?? (x.dtype === "BOOL" ? false : 0), showType(x));

const padded = (size: Dim, more: number): Dim => {
  if (more === 0) return size;
  return typeof size === "number" && size !== -1 ? size + more : -1;
};

const withConstant = (
  builder: OnnxBuilder,
  { name, type }: OnnxValue,
  axis: number,
  { before, after, value }: Attributes,
): string => {
  const rank = type.dims.length;
  const counts = Array.from({ length: 2 * rank }, (_, i) =>
    i === axis ? Number(before) : i === rank + axis ? Number(after) : 0,
  );
  const pads = builder.constant(tensorOf("INT64", [counts.length], counts));
  const read = readValue(type, value);
  const element = read.problem === undefined ? read.value : 0;
  const inside = castInto(builder, orderCarriers, name, type.dtype);
  const dtype = orderCarriers[type.dtype] ?? type.dtype;
  const inputs = [inside, pads, builder.constant(tensorOf(dtype, [], [element]))];
  const [out] = builder.node("Pad", inputs, { mode: { text: "constant" } });
  return inside === name ? out : castNode(builder, out, type.dtype);
};

/** Gather fails on an element that does not exist; up to ONNX Runtime 1.19 Pad reads past the ends of a short axis. */
const withOwnElements = (
  builder: OnnxBuilder,
  { name }: OnnxValue,
  axis: number,
  { before, after, mode }: Attributes,
): string => {
  const step = mode === "reflect" ? 1 : 0;
  const taken = (positions: readonly number[]): readonly string[] =>
    positions.length === 0
      ? []
      : builder.node("Gather", [name, builder.constant(tensorOf("INT64", [positions.length], positions))], {
          axis: { int: axis },
        });
  const front = Array.from({ length: Number(before) }, (_, i) => step * (Number(before) - i));
  const back = Array.from({ length: Number(after) }, (_, i) => -1 - step * (i + 1));
  const parts = [...taken(front), name, ...taken(back)];
  return parts.length === 1
    ? builder.node("Identity", parts)[0]
    : builder.node("Concat", parts, { axis: { int: axis } })[0];
};
