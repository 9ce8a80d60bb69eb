import { valuesOf } from "@tritype/core";
import { bf16, bool, bytes, fp16, fp32, int32, int8, int64 } from "@tritype/dsl";
import { expect, test } from "vitest";
import { valueTensor } from "./value-tensor.ts";

/** The tensor as text, such as `FP32[1,2] 1 2`, or the fault. */
const shown = (type: Parameters<typeof valueTensor>[0], value: unknown): string => {
  const made = valueTensor(type, value);
  if ("wrongValue" in made) return `${made.wrongValue}: write ${made.wanted}`;
  if ("wrongShape" in made) return made.wrongShape;
  return `${made.tensor.dtype}[${made.tensor.shape.join()}] ${valuesOf(made.tensor).join(" ")}`;
};

test.each([
  [bytes("batch", 1), ["a", "é"], "BYTES[2,1] a é"],
  [bytes("batch", 1), [["a"], ["b"]], "BYTES[2,1] a b"],
  [bytes("batch", 1), [new Uint8Array([65])], "BYTES[1,1] A"],
  [fp32("batch", 2), [[1, 2]], "FP32[1,2] 1 2"],
  [fp32("batch", 1, 2, 1), [[1, 2]], "FP32[1,1,2,1] 1 2"],
  [fp32("batch"), [1, 2], "FP32[2,1] 1 2"],
  [fp32(1, 2), [[1, 2]], "FP32[1,2] 1 2"],
  [fp32(2, -1), { data: new Float32Array([1, 2]), shape: [2, 1] }, "FP32[2,1] 1 2"],
  [fp16("n"), [0.5], "FP16[1] 0.5"],
  [fp32("batch", 2), [Float32Array.of(1, 2)], "FP32[1,2] 1 2"],
  [fp32("n"), Float64Array.of(1, 2), "FP32[2] 1 2"],
  [fp32("n"), [Infinity, NaN], "FP32[2] Infinity NaN"],
  [int64("batch", "seq"), [[1n, 2]], "INT64[1,2] 1 2"],
  [bool("batch", 1), [true], "BOOL[1,1] true"],
])("%o accepts %o", (type, value, text) => {
  expect(shown(type, value)).toBe(text);
});

test.each([
  [bytes("batch", 1), [1], '1: write strings ("…") or Uint8Arrays'],
  [bytes("batch", 1), [undefined], 'undefined: write strings ("…") or Uint8Arrays'],
  [bool("batch", 1), [1], "1: write true or false"],
  [int8("batch", 1), [1.5], "1.5: write whole numbers from -128 to 127"],
  [int8("batch", 1), [128n], "128n: write whole numbers from -128 to 127"],
  [fp32("batch", 2), [["1", 2]], '"1": write numbers'],
  [fp32("batch", 2), [[1, 2], [3]], "lists of unequal lengths"],
  [fp32("batch", 2), [[1, 2], [3], [4, 5, 6]], "lists of unequal lengths"],
  [fp32("batch", 2), [[1, 2], 3, 4], "lists of unequal lengths"],
  [fp32("n", "m"), { data: [1, 2, 3, 4], shape: [-2, -2] }, "values of shape [-2,-2]"],
  [fp16("n"), [65520], "65520: write numbers that FP16 can hold"],
  [bf16("n"), [3.4e38], "3.4e+38: write numbers that BF16 can hold"],
  [fp32("n"), [1e39], "1e+39: write numbers that FP32 can hold"],
  [int64("n"), [2 ** 53], "9007199254740992: write whole numbers beyond 2^53 as bigints"],
  [int32("n"), [1n], "1n: write numbers, not bigints"],
  [bytes("batch", 1), ["a\ud800"], '"a\\ud800": write texts without half of a surrogate pair'],
  [fp32("batch", 2), [[1, 2, 3]], "values of shape [1, 3]"],
  [fp32("batch", 2), [1, 2], "values of shape [2]"],
  [fp32("batch", 2), 1, "values of shape []"],
  [fp32("batch", 2), { data: [1, 2, 3], shape: [1, 2] }, "3 elements for the shape [1, 2]"],
  [fp32("batch", 2), { n: [1n, undefined] }, '{"n":["1n",null]}: write numbers'],
  [
    bytes("batch", 1),
    [{ a: "long ".repeat(50) }],
    `${`{"a":"${"long ".repeat(50)}`.slice(0, 60)}…: write strings ("…") or Uint8Arrays`,
  ],
  [fp32("batch", 2), { inputs: 1 }, '{"inputs":1}: write numbers'],
])("%o refuses %o", (type, value, text) => {
  expect(shown(type, value)).toBe(text);
});
