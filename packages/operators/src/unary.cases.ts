import { floats, numbers, runnable, signed } from "./dtypes.fixture.ts";
import { anyUnary } from "./layouts.fixture.ts";
import { elementwise, erf, unary } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const halfToEven = (x: number): number => {
  if (!Number.isFinite(x)) return x;
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
};

export const cases: CasesOf = {
  neg: {
    problems: [["UINT8[4]", {}, "dtype/not-supported: UINT8 has no negative numbers"]],
    dtypes: [...signed, ...floats],
    layout: anyUnary,
    reference: elementwise((a) => (typeof a === "bigint" ? -a : 0 - Number(a))),
    example: ({ scores }) => scores.neg(),
  },
  abs: {
    dtypes: numbers,
    layout: anyUnary,
    reference: unary(Math.abs),
    example: ({ scores }) => scores.abs(),
  },
  sign: {
    dtypes: numbers,
    layout: anyUnary,
    reference: unary(Math.sign),
    example: ({ scores }) => scores.sign(),
  },
  round: {
    problems: [["INT64[4]", {}, "dtype/not-supported: INT64[4] is not floating point: .cast(fp32) first"]],
    dtypes: floats,
    layout: anyUnary,
    reference: unary(halfToEven),
    example: ({ scores }) => scores.round(),
  },
  floor: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.floor),
    example: ({ scores }) => scores.floor(),
  },
  ceil: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.ceil),
    example: ({ scores }) => scores.ceil(),
  },
  sqrt: {
    problems: [
      [
        "INT64[batch, 4]",
        {},
        "dtype/not-supported: INT64[batch, 4] is not floating point: .cast(fp32) first",
      ],
    ],
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.sqrt),
    example: ({ scores }) => scores.sqrt(),
  },
  exp: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.exp),
    example: ({ scores }) => scores.exp(),
  },
  log: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.log),
    example: ({ scores }) => scores.log(),
  },
  erf: {
    problems: [["FP64[4]", {}, "dtype/not-supported: ONNX Runtime does not support erf for FP64[4]"]],
    dtypes: ["FP16", "FP32"],
    layout: anyUnary,
    reference: unary(erf),
    example: ({ scores }) => scores.erf(),
  },
  tanh: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary(Math.tanh),
    example: ({ scores }) => scores.tanh(),
  },
  sigmoid: {
    dtypes: floats,
    layout: anyUnary,
    reference: unary((x) => 1 / (1 + Math.exp(-x))),
    example: ({ scores }) => scores.sigmoid(),
  },
  relu: {
    dtypes: numbers,
    layout: anyUnary,
    reference: unary((x) => Math.max(0, x)),
    example: ({ scores }) => scores.relu(),
  },
  identity: {
    types: [["BYTES[batch, 1]", {}, "BYTES[batch, 1]"]],
    dtypes: runnable,
    layout: anyUnary,
  },
};
