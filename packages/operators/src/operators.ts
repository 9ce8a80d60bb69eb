import { showType } from "@tritype/core";
import { add, div, maximum, minimum, mul, pow, sub } from "./arithmetic.ts";
import { cast } from "./cast.ts";
import { clip } from "./clip.ts";
import { and, eq, ge, gt, le, lt, not, or } from "./comparison.ts";
import { concat } from "./concat.ts";
import { constant } from "./constant.ts";
import { refuseBf16 } from "./dtype-rules.ts";
import { ensureDims } from "./ensure-dims.ts";
import { expand } from "./expand.ts";
import { gather } from "./gather.ts";
import { lookup } from "./lookup.ts";
import { matmul } from "./matmul.ts";
import type { Operator } from "./operator.ts";
import { argmax, max, mean, min, sum } from "./reduce.ts";
import { reshape } from "./reshape.ts";
import { slice } from "./slice.ts";
import { softmax } from "./softmax.ts";
import { squeeze } from "./squeeze.ts";
import { topK } from "./top-k.ts";
import { transpose } from "./transpose.ts";
import { abs, exp, identity, log, neg, relu, sigmoid, sqrt, tanh } from "./unary.ts";
import { unsqueeze } from "./unsqueeze.ts";
import { where } from "./where.ts";

/** No operator takes BF16, so each need not say so. */
const withoutBf16 = (operator: Operator): Operator => ({
  ...operator,
  infer(operands, attributes) {
    for (const [i, operand] of operands.entries()) {
      const refused = refuseBf16(operand.dtype, showType(operand), i);
      if (refused !== undefined) return refused;
    }
    return operator.infer(operands, attributes);
  },
});

const all: readonly (readonly Operator[])[] = [
  [add, sub, mul, div, pow, minimum, maximum],
  [eq, gt, ge, lt, le, and, or, not],
  [neg, abs, sqrt, exp, log, tanh, sigmoid, relu, clip, softmax, cast],
  [sum, mean, max, min, argmax, topK, matmul],
  [unsqueeze, squeeze, transpose, reshape, expand, slice, gather, ensureDims],
  [where, concat, constant, lookup, identity],
];

/** Every tensor operator by its name, the DSL's name of the method or function. */
export const operators: ReadonlyMap<string, Operator> = new Map(
  all.flat().map((operator) => [operator.name, withoutBf16(operator)]),
);
