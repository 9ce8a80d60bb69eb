import { showType } from "@tritype/core";
import { add, div, maximum, minimum, mod, mul, pow, sub } from "./arithmetic.ts";
import { cast } from "./cast.ts";
import { clip } from "./clip.ts";
import { and, eq, ge, gt, le, lt, ne, not, or, xor } from "./comparison.ts";
import { concat } from "./concat.ts";
import { constant } from "./constant.ts";
import { refuseBf16 } from "./dtype-rules.ts";
import { einsum } from "./einsum.ts";
import { ensureDims } from "./ensure-dims.ts";
import { expand } from "./expand.ts";
import { gather } from "./gather.ts";
import { gelu } from "./gelu.ts";
import { labelEncode } from "./label-encode.ts";
import { layerNorm } from "./layer-norm.ts";
import { lookup } from "./lookup.ts";
import { matmul } from "./matmul.ts";
import { oneHot } from "./one-hot.ts";
import type { Operator } from "./operator.ts";
import { pad } from "./pad.ts";
import { argmax, argmin, logSumExp, max, mean, min, prod, sum } from "./reduce.ts";
import { reshape } from "./reshape.ts";
import { slice } from "./slice.ts";
import { softmax } from "./softmax.ts";
import { split } from "./split.ts";
import { squeeze } from "./squeeze.ts";
import { tile } from "./tile.ts";
import { topK } from "./top-k.ts";
import { transpose } from "./transpose.ts";
import {
  abs,
  ceil,
  erf,
  exp,
  floor,
  identity,
  log,
  neg,
  relu,
  round,
  sigmoid,
  sign,
  sqrt,
  tanh,
} from "./unary.ts";
import { unsqueeze } from "./unsqueeze.ts";
import { when } from "./when.ts";
import { where } from "./where.ts";

/** No operator accepts BF16, which is checked here once for all operators. */
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
  [add, sub, mul, div, mod, pow, minimum, maximum],
  [eq, ne, gt, ge, lt, le, and, or, xor, not],
  [neg, abs, sign, round, floor, ceil, sqrt, exp, log, erf],
  [tanh, sigmoid, relu, gelu, clip, softmax, layerNorm, cast],
  [sum, mean, prod, max, min, logSumExp, argmax, argmin, topK, matmul, einsum],
  [unsqueeze, squeeze, transpose, reshape, expand, slice, split, pad, tile, gather, ensureDims],
  [where, when, concat, constant, lookup, labelEncode, oneHot, identity],
];

/** Every tensor operator by name, which is the name of its method or function in the DSL. */
export const operators: ReadonlyMap<string, Operator> = new Map(
  all.flat().map((operator) => [operator.name, withoutBf16(operator)]),
);
