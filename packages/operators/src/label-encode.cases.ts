import { type DType, dtypes, type Json } from "@tritype/core";
import * as fc from "fast-check";
import { runnable, signed } from "./dtypes.fixture.ts";
import type { Attributes } from "./index.ts";
import { dimsOf, sizeOrNone } from "./layouts.fixture.ts";
import { fromJson, mapped } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const labelsOf = (to: DType): Attributes => {
  const { family } = dtypes[to];
  if (family === "bytes") return { values: ["a", "", "ü", "d"], otherwise: "?" };
  if (family === "bool") return { values: [true, false, true, true], otherwise: false };
  return { values: family === "float" ? [0.5, "NaN", 7, "Infinity"] : [5, 0, 7, 9], otherwise: 2 };
};

export const cases: CasesOf = {
  labelEncode: {
    types: [["BYTES[batch]", { to: "INT64", keys: ["a"], values: [1], otherwise: 0 }, "INT64[batch]"]],
    problems: [
      [
        "FP32[4]",
        { to: "BYTES", keys: [1], values: ["a"], otherwise: "" },
        "dtype/not-supported: FP32[4] cannot contain keys: keys are text or integers",
      ],
      [
        "INT8[4]",
        { to: "BYTES", keys: [200], values: ["a"], otherwise: "" },
        "dtype/out-of-range: 200 does not fit INT8, whose range is -128 to 127",
      ],
      [
        "BYTES[4]",
        { to: "INT64", keys: ["a"], values: [0.5], otherwise: 0 },
        "dtype/mismatch: 0.5 is not an integer, but the tensor is INT64[4]: cast it first",
      ],
      [
        "BYTES[4]",
        { to: "INT64", keys: ["a", "b"], values: [1], otherwise: 0 },
        "shape/bad-constant: 2 keys have 1 values",
      ],
      [
        "BYTES[4]",
        { to: "INT64", keys: ["a", "a"], values: [1, 2], otherwise: 0 },
        "shape/bad-constant: the key a occurs twice",
      ],
      [
        "BYTES[4]",
        { to: "INT64", keys: [], values: [], otherwise: 0 },
        "shape/bad-constant: labelEncode takes a list of one or more keys, got []",
      ],
    ],
    nodes: [
      [
        "INT32[batch]",
        { to: "BYTES", keys: [3, 5], values: ["a", "b"], otherwise: "?" },
        [
          "Cast(x0) to=7",
          "ai.onnx.ml.LabelEncoder(%1) keys_int64s=3,5 values_strings=a,b default_string=?",
          "→ %2",
        ],
      ],
      [
        "BYTES[batch]",
        { to: "FP64", keys: ["x", "y"], values: [0.5, "NaN"], otherwise: 7 },
        [
          "ai.onnx.ml.LabelEncoder(x0) keys_strings=x,y values_int64s=0,1 default_int64=2",
          "Gather(FP64{0.5 NaN 7}, %1) axis=0",
          "→ %2",
        ],
      ],
    ],
    dtypes: [...signed, "UINT8", "UINT16", "UINT32"],
    layout: fc.tuple(dimsOf(0, 3, sizeOrNone), fc.constantFrom(...runnable)).map(([dims, to]) => ({
      operands: [{ dims }],
      attributes: { ...labelsOf(to), keys: [0, 3, 1, 6], to },
    })),
    reference: ([x], { keys, values, otherwise }) =>
      mapped(x, (key) => {
        const at = (keys as number[]).indexOf(Number(key));
        return fromJson(at === -1 ? otherwise : (values as Json[])[at]);
      }),
    odd: [],
    example: ({ labels }, { int64 }) =>
      labels.labelEncode(int64, { keys: ["no", "yes"], values: [0, 1], otherwise: -1 }),
  },
};
