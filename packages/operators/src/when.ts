import { type Dim, type Dims, showType, type TensorType, tensorOf } from "@tritype/core";
import { movedAxes } from "./axis.ts";
import { carried, whereCarriers } from "./carrier.ts";
import { broadcastDim, broadcastDims } from "./dims.ts";
import { needBool, needSame } from "./dtype-rules.ts";
import { noBroadcast } from "./elementwise.ts";
import { failed, type Failed, operandAt } from "./inferred.ts";
import type { Attributes, OnnxBuilder, OnnxValue, Operator } from "./operator.ts";
import { elementwisePadding } from "./padding.ts";

/**
 * Operands: the condition (BOOL, one value or one for each row), the values of the branch for true, and the values of
 * the other branch in the same order. Attribute: the outputs' `names`, unless `out` is the only output. The values of a
 * pair broadcast.
 */
export const when: Operator = {
  name: "when",
  infer(operands, attributes) {
    const condition = operandAt(operands, 0);
    const problem = needBool(condition, 0) ?? needRows(condition);
    if (problem !== undefined) return problem;
    const outputs: [string, TensorType][] = [];
    for (const { name, a, b, at } of pairsOf(operands, attributes)) {
      const chosen = choose(condition, a, b, { operand: at, against: at - namesOf(attributes).length });
      if ("problem" in chosen) return chosen;
      outputs.push([name, chosen]);
    }
    return { outputs: Object.fromEntries(outputs) };
  },
  outputs: (attributes) => Object.fromEntries(namesOf(attributes).map((name) => [name, undefined])),
  mixes: (operands, attributes) =>
    pairsOf(operands, attributes).flatMap(({ a, b, at }) => {
      const [own, other] = [a.dims.length, b.dims.length];
      const half = namesOf(attributes).length;
      return [
        ...movedAxes(at - half, 0, own, Math.max(0, other - own)),
        ...movedAxes(at, 0, other, Math.max(0, own - other)),
      ];
    }),
  padding(operands, attributes) {
    const condition = operandAt(operands, 0);
    const [pair, ...others] = pairsOf(operands, attributes);
    if (pair === undefined || others.length > 0) return { axes: [] };
    const rank = Math.max(1, pair.a.type.dims.length, pair.b.type.dims.length);
    const atRows = (_: unknown, axis: number): number | undefined =>
      axis === 0 ? condition.padding.axes[0] : undefined;
    const decides = {
      type: { ...condition.type, dims: Array.from({ length: rank }, () => 1) },
      padding: { all: condition.padding.all, axes: Array.from({ length: rank }, atRows) },
    };
    return elementwisePadding([decides, pair.a, pair.b], (decision, a, b) =>
      decision === undefined ? (a === b ? a : undefined) : decision === 0 ? b : a,
    );
  },
  sides(operands, attributes) {
    const pairs = pairsOf(operands, attributes);
    const isOne = rowsOf(operandAt(operands, 0)) === 1;
    if (!isOne || !pairs.every(({ a, b }) => areSure(a.dims, b.dims))) return undefined;
    const values = pairs.map(({ name, at }) => [name, [at - pairs.length, at]] as const);
    return { condition: 0, values: Object.fromEntries(values) };
  },
  lower(builder, operands, attributes) {
    const condition = operandAt(operands, 0);
    return Object.fromEntries(
      pairsOf(operands, attributes).map(({ name, a, b }) => {
        const decides = aligned(builder, condition, Math.max(a.type.dims.length, b.type.dims.length));
        const where = (values: readonly string[]): string => builder.node("Where", [decides, ...values])[0];
        return [name, carried(builder, whereCarriers, a.type.dtype, [a.name, b.name], where)];
      }),
    );
  },
};

const namesOf = ({ names }: Attributes): readonly string[] =>
  Array.isArray(names) ? names.map(String) : ["out"];

interface Pair<T> {
  readonly name: string;
  readonly a: T;
  readonly b: T;
  /** Index of `b` among the operands. */
  readonly at: number;
}
const pairsOf = <T>(operands: readonly T[], attributes: Attributes): readonly Pair<T>[] => {
  const names = namesOf(attributes);
  return names.map((name, i) => {
    const at = 1 + names.length + i;
    return { name, a: operandAt(operands, 1 + i), b: operandAt(operands, at), at };
  });
};

/** The number of decisions: 1 for the whole request, otherwise one for each row. */
const rowsOf = ({ dims }: TensorType): Dim => dims[0] ?? 1;

const needRows = (condition: TensorType): Failed | undefined =>
  condition.dims.slice(1).every((dim) => dim === 1)
    ? undefined
    : failed(
        "shape/dim-mismatch",
        `${showType(condition)} decides for each element: use where(), or one BOOL for each row`,
        { operand: 0 },
      );

const choose = (
  condition: TensorType,
  a: TensorType,
  b: TensorType,
  { operand, against }: { readonly operand: number; readonly against: number },
): TensorType | Failed => {
  const problem = needSame(a, b, operand, against);
  if (problem !== undefined) return problem;
  const dims = broadcastDims(a.dims, b.dims);
  if (dims === undefined) return noBroadcast(a, b, { operand, against });
  const rows = rowsOf(condition);
  if (rows === 1) return { dtype: a.dtype, dims };
  const first = broadcastDim(rows, dims[0] ?? 1);
  if (first === undefined)
    return failed(
      "shape/no-broadcast",
      `${showType(condition)} and ${showType({ dtype: a.dtype, dims })} do not broadcast`,
      {
        operand: 0,
        against: operand,
        help: "the first axis is that of the rows: add it to a constant with .unsqueeze(0)",
      },
    );
  return { dtype: a.dtype, dims: [first, ...dims.slice(1)] };
};

/** Whether each branch alone determines the sizes of the result, because they are equal or literal. */
const areSure = (a: Dims, b: Dims): boolean =>
  (a.length === b.length && a.every((dim, axis) => dim !== -1 && dim === b[axis])) ||
  [...a, ...b].every((dim) => typeof dim === "number" && dim !== -1);

/** The condition with as many axes as the values have. A single decision needs at most that many axes. */
const aligned = (builder: OnnxBuilder, { name, type }: OnnxValue, rank: number): string => {
  const [own, wanted] = [type.dims.length, rowsOf(type) === 1 ? rank : Math.max(1, rank)];
  if (own === wanted || (own < wanted && rowsOf(type) === 1)) return name;
  const changed = Array.from({ length: Math.abs(own - wanted) }, (_, i) => Math.min(own, wanted) + i);
  const axes = builder.constant(tensorOf("INT64", [changed.length], changed));
  return builder.node(own < wanted ? "Unsqueeze" : "Squeeze", [name, axes])[0];
};
