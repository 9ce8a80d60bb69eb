import { tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { tensorText } from "./tensor-text.ts";

test.each([
  [tensorOf("INT8", [3], [65, -1, 34]), "65,-1,34"],
  [tensorOf("UINT8", [2], [0, 255]), "0,255"],
  [tensorOf("BOOL", [2], [true, false]), "1,0"],
  [tensorOf("INT64", [1], [-9_007_199_254_740_993n]), "-9007199254740993"],
  [
    tensorOf("FP64", [5], [100_000, 1_000_000, 0.0001, 0.000_01, 1_234_565]),
    "100000,1e+06,0.0001,1e-05,1.23456e+06",
  ],
  [tensorOf("FP64", [4], [-0, Number.NaN, -Infinity, 999_999.9]), "-0,nan,-inf,1e+06"],
  [tensorOf("FP16", [1], [1]), ""],
  [tensorOf("BYTES", [2], ['a"b', ""]), '"a"b",""'],
])("%o", (tensor, text) => {
  expect(tensorText(tensor)).toBe(text);
});
