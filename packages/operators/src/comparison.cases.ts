import { numbers } from "./dtypes.fixture.ts";
import { anyBinary, anyUnary } from "./layouts.fixture.ts";
import { comparison, elementwise } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  eq: {
    types: [["BOOL[batch] ; BOOL[batch]", {}, "BOOL[batch]"]],
    problems: [["BYTES[2] ; BYTES[2]", {}, "dtype/not-supported: BYTES does not support arithmetic"]],
    dtypes: ["BOOL", ...numbers],
    layout: anyBinary,
    reference: comparison((a, b) => a === b),
    example: ({ ids }) => ids.eq(0),
  },
  ne: {
    types: [["INT64[batch, 4] ; INT64[]", {}, "BOOL[batch, 4]"]],
    dtypes: ["BOOL", ...numbers],
    layout: anyBinary,
    reference: comparison((a, b) => a !== b),
    example: ({ ids }) => ids.ne(0),
  },
  gt: {
    types: [["INT64[batch, 4] ; INT64[]", {}, "BOOL[batch, 4]"]],
    problems: [["BOOL[2] ; BOOL[2]", {}, "dtype/not-supported: BOOL values cannot be ordered"]],
    padding: [["FP32[batch, seq=0, 1] ; FP32[]=0", {}, [undefined, 0, undefined]]],
    dtypes: numbers,
    layout: anyBinary,
    reference: comparison((a, b) => a > b),
    example: ({ scores }) => scores.gt(0.5),
  },
  ge: {
    dtypes: numbers,
    layout: anyBinary,
    reference: comparison((a, b) => a >= b),
    example: ({ scores }) => scores.ge(0.5),
  },
  lt: {
    dtypes: numbers,
    layout: anyBinary,
    reference: comparison((a, b) => a < b),
    example: ({ scores, other }) => scores.lt(other),
  },
  le: {
    dtypes: numbers,
    layout: anyBinary,
    reference: comparison((a, b) => a <= b),
    example: ({ scores }) => scores.le(0.5),
  },
  and: {
    types: [["BOOL[batch, 1] ; BOOL[4]", {}, "BOOL[batch, 4]"]],
    padding: [["BOOL[batch, seq, 1] ; BOOL[batch, seq=0, 1]", {}, [undefined, 0, undefined]]],
    dtypes: ["BOOL"],
    layout: anyBinary,
    reference: elementwise((a, b) => a === true && b === true),
    odd: [],
    example: ({ flags, scores }) => flags.and(scores.gt(0)),
  },
  or: {
    padding: [["BOOL[batch, seq, 1] ; BOOL[batch, seq=0, 1]", {}, [undefined, undefined, undefined]]],
    dtypes: ["BOOL"],
    layout: anyBinary,
    reference: elementwise((a, b) => a === true || b === true),
    odd: [],
    example: ({ flags, scores }) => flags.or(scores.gt(0)),
  },
  xor: {
    dtypes: ["BOOL"],
    layout: anyBinary,
    reference: elementwise((a, b) => a !== b),
    odd: [],
    example: ({ flags, scores }) => flags.xor(scores.gt(0)),
  },
  not: {
    problems: [["INT64[2]", {}, "dtype/mismatch: INT64[2] is not BOOL: compare first, as in .gt(0)"]],
    padding: [["BOOL[batch, seq=0, 1]", {}, [undefined, 1, undefined]]],
    dtypes: ["BOOL"],
    layout: anyUnary,
    reference: elementwise((a) => a === false),
    odd: [],
    example: ({ flags }) => flags.not(),
  },
};
