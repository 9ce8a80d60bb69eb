import {
  type Dims,
  type DType,
  type OptionalTensorType,
  type TensorType,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import { describe, expect, test } from "vitest";
import { requestTensors, responseValues } from "./tensor-values.ts";

const type = (dtype: DType, ...dims: Dims): TensorType => ({ dtype, dims });
const read = (
  of: TensorType,
  value: unknown,
): { readonly shape: readonly number[]; readonly values: unknown } => {
  const tensor = requestTensors("m", { x: of }, new Map([["x", value]])).get("x");
  if (tensor === undefined) throw new Error("x is missing");
  return { shape: tensor.shape, values: valuesOf(tensor) };
};
const row = type("FP32", "batch", 3);
const text = type("BYTES", "batch", 1);

describe("a value becomes a tensor", () => {
  test.each<[string, TensorType, unknown, readonly number[], unknown]>([
    [
      "nested lists",
      row,
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      [2, 3],
      [1, 2, 3, 4, 5, 6],
    ],
    ["lists without the dims that are 1", text, ["a", "b"], [2, 1], ["a", "b"]],
    [
      "a dim of 1 in the middle",
      type("FP32", "batch", 1, 2),
      [
        [1, 2],
        [3, 4],
      ],
      [2, 1, 2],
      [1, 2, 3, 4],
    ],
    ["one element", type("INT64"), 5, [], [5n]],
    ["bytes", text, [new Uint8Array([104, 105])], [1, 1], ["hi"]],
    ["64 bits", type("INT64", 2), [1, 2n ** 63n - 1n], [2], [1n, 2n ** 63n - 1n]],
    ["booleans", type("BOOL", "batch", 2), [[true, false]], [1, 2], [true, false]],
    ["halves", type("FP16", 2), [0.5, 65504], [2], [0.5, 65504]],
    [
      "a typed array with its shape",
      row,
      { data: new Float32Array(6), shape: [2, 3] },
      [2, 3],
      [0, 0, 0, 0, 0, 0],
    ],
    ["rows of typed arrays", row, [Float32Array.of(1, 2, 3)], [1, 3], [1, 2, 3]],
    [
      "a typed array of another dtype",
      row,
      { data: Float64Array.of(1, 2, 3), shape: [1, 3] },
      [1, 3],
      [1, 2, 3],
    ],
    ["rows of typed arrays of another dtype", row, [Int8Array.of(1, 2, 3)], [1, 3], [1, 2, 3]],
    ["a Float32Array for halves", type("FP16", 2), Float32Array.of(1, 2), [2], [1, 2]],
    ["a list with its shape", text, { data: ["a", "b"], shape: [2, 1] }, [2, 1], ["a", "b"]],
    ["a list with the shape of nested lists", text, { data: ["a", "b"], shape: [2] }, [2, 1], ["a", "b"]],
    [
      "a tensor from an answer",
      row,
      responseValues({}, new Map([["y", tensorOf("FP32", [1, 3], [1, 2, 3])]]))["y"],
      [1, 3],
      [1, 2, 3],
    ],
    ["no elements", type("FP32", "n"), [], [0], []],
    [
      "an empty list, which does not show the other sizes",
      type("FP32", "n", 1, "m", 3),
      [],
      [0, 1, 0, 3],
      [],
    ],
    ["empty lists", type("FP32", "n", 1, "m", 3), [[]], [1, 1, 0, 3], []],
    [
      "a tensor with only the batch dim, which is sent with a dim of 1",
      type("FP32", "batch"),
      [1, 2],
      [2, 1],
      [1, 2],
    ],
  ])("%s", (_, of, value, shape, values) => {
    expect(read(of, value)).toEqual({ shape, values });
  });

  test("a typed array is copied", () => {
    const data = Float32Array.of(1, 2, 3);
    const tensor = requestTensors("m", { x: row }, new Map([["x", { data, shape: [1, 3] }]])).get("x");
    data[0] = 9;
    expect(tensor && valuesOf(tensor)).toEqual([1, 2, 3]);
  });

  test("an undefined value is not given, as in clients", () => {
    const values = new Map<string, unknown>([
      ["x", [[1, 2, 3]]],
      ["z", undefined],
    ]);
    expect([...requestTensors("m", { x: row }, values).keys()]).toEqual(["x"]);
  });

  test("an optional input may be left out", () => {
    const optional: OptionalTensorType = { ...row, optional: true };
    expect(requestTensors("m", { x: row, y: optional }, new Map([["x", [[1, 2, 3]]]])).size).toBe(1);
  });
});

describe("an invalid value is rejected", () => {
  test.each<[TensorType, unknown, string]>([
    [row, [[1, 2]], "input `x` of `m`, FP32[batch, 3]: got FP32[1, 2]"],
    [row, [1, 2, 3], "input `x` of `m`, FP32[batch, 3]: got FP32[3]"],
    [row, 1, "input `x` of `m`, FP32[batch, 3]: got FP32[]"],
    [
      row,
      [
        [1, 2, 3],
        [4, 5],
      ],
      "input `x` of `m`, FP32[batch, 3]: the lists have unequal lengths",
    ],
    [row, [[1, 2, 3], 4], "input `x` of `m`, FP32[batch, 3]: the lists have unequal lengths"],
    [row, [[1, 2, [3]]], "input `x` of `m`, FP32[batch, 3]: the lists have unequal lengths"],
    [row, [[1, 2, "3"]], 'input `x` of `m`, FP32[batch, 3]: "3" is not a valid FP32'],
    [row, [[1, 2, undefined]], "input `x` of `m`, FP32[batch, 3]: undefined is not a valid FP32"],
    [row, [[1n, 2n, 3n]], "input `x` of `m`, FP32[batch, 3]: 1n is not a valid FP32"],
    [row, Promise.resolve(), "input `x` of `m`, FP32[batch, 3]: a promise is not a valid FP32"],
    [row, null, "input `x` of `m`, FP32[batch, 3]: null is not a valid FP32"],
    [row, [], "input `x` of `m`, FP32[batch, 3]: got no rows"],
    [row, { data: [], shape: [0] }, "input `x` of `m`, FP32[batch, 3]: got FP32[0]"],
    [row, [[1, 2, 4e38]], "input `x` of `m`, FP32[batch, 3]: 4e+38 is not a valid FP32"],
    [type("FP16", 1), [65520], "input `x` of `m`, FP16[1]: 65520 is not a valid FP16"],
    [
      text,
      ["a", "b\ud800"],
      'input `x` of `m`, BYTES[batch, 1]: a lone surrogate in "b\\ud800", which is not text',
    ],
    [
      row,
      { data: Float64Array.of(1, 2, 1e39), shape: [1, 3] },
      "input `x` of `m`, FP32[batch, 3]: 1e+39 is not a valid FP32",
    ],
    [type("FP16", 1), Float32Array.of(65520), "input `x` of `m`, FP16[1]: 65520 is not a valid FP16"],
    [type("INT8", 1), Int16Array.of(128), "input `x` of `m`, INT8[1]: 128 is not a valid INT8"],
    [row, { data: new Float32Array(2), shape: [1, 3] }, "shape [1, 3] has 3 elements, got 2"],
    [row, { data: new Float32Array(3), shape: [1, -3] }, "`shape` is a list"],
    [row, { data: "abc", shape: [1, 3] }, '`data` is "abc"'],
    [text, [], "input `x` of `m`, BYTES[batch, 1]: got no rows"],
    [text, [1], "input `x` of `m`, BYTES[batch, 1]: 1 is not a valid BYTES"],
    [text, [["a"], ["b"]], "input `x` of `m`, BYTES[batch, 1]: got BYTES[2, 1]"],
    [
      type("FP32", "n", 1, 1),
      { data: [1, 2], shape: [2, 1] },
      "input `x` of `m`, FP32[n, 1, 1]: got FP32[2, 1]",
    ],
    [type("INT32", 1), [1n], "input `x` of `m`, INT32[1]: 1n is not a valid INT32"],
    [
      text,
      { data: [["a"]], shape: [1, 1] },
      "input `x` of `m`, BYTES[batch, 1]: a list is not a valid BYTES",
    ],
    [type("UINT8", 1), [256], "input `x` of `m`, UINT8[1]: 256 is not a valid UINT8"],
    [type("INT8", 1), [1.5], "input `x` of `m`, INT8[1]: 1.5 is not a valid INT8"],
    [type("INT64", 1), [2 ** 53], "input `x` of `m`, INT64[1]: 9007199254740992 is not a valid INT64"],
    [type("BOOL", 1), [1], "input `x` of `m`, BOOL[1]: 1 is not a valid BOOL"],
    [type("BOOL", 1), Uint8Array.of(1), "input `x` of `m`, BOOL[1]: 1 is not a valid BOOL"],
  ])("$2", (of, value, message) => {
    expect(() => read(of, value)).toThrow(expect.objectContaining({ code: "request/invalid" }));
    expect(() => read(of, value)).toThrow(message);
  });

  test("the help shows the shape of the lists, and the kind of number", () => {
    expect(() => read(text, [["a"]])).toThrow(
      expect.objectContaining({ help: "pass lists of shape [batch], without dims of size 1" }),
    );
    expect(() => read(type("INT8", 1), [1n])).toThrow(
      expect.objectContaining({ help: "pass whole numbers from -2^7 to 2^7 - 1, as number" }),
    );
  });

  test("a dim name has the same size throughout a request", () => {
    const inputs = { ids: type("INT64", "batch", "seq"), mask: type("INT64", "batch", "seq") };
    const values = new Map([
      ["ids", [[1, 2, 3]]],
      ["mask", [[1, 1]]],
    ]);
    expect(() => requestTensors("m", inputs, values)).toThrow(
      "input `mask` of `m`, INT64[batch, seq]: got [1, 2], so `seq` is 2 here and 3 in `ids`",
    );
  });

  test("a missing input and an unknown input are named", () => {
    expect(() => requestTensors("m", { x: row }, new Map())).toThrow(
      "`m` needs the input `x`, FP32[batch, 3]",
    );
    expect(() => requestTensors("m", { text }, new Map([["txt", "a"]]))).toThrow(
      expect.objectContaining({ message: "`m` has no input `txt`", help: "did you mean `text`?" }),
    );
  });
});

describe("a tensor becomes a value", () => {
  test.each<
    [TensorType, readonly number[], readonly (number | bigint | boolean | string)[], unknown, unknown]
  >([
    [
      row,
      [2, 3],
      [1, 2, 3, 4, 5, 6],
      Float32Array.of(1, 2, 3, 4, 5, 6),
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [text, [2, 1], ["a", "b"], ["a", "b"], ["a", "b"]],
    [type("INT64"), [], [7n], BigInt64Array.of(7n), 7n],
    [type("UINT64", "batch", 1), [1, 1], [7n], BigUint64Array.of(7n), [7n]],
    [type("BOOL", "batch", 2), [1, 2], [true, false], [true, false], [[true, false]]],
    [type("FP16", 1), [1], [0.5], Float32Array.of(0.5), [0.5]],
    [type("BF16", 1), [1], [0.5], Float32Array.of(0.5), [0.5]],
    [type("UINT8", "batch", 1, 2), [1, 1, 2], [1, 2], Uint8Array.of(1, 2), [[1, 2]]],
    [type("FP32", "batch", "n"), [2, 0], [], new Float32Array(), [[], []]],
  ])("$0.dtype$1", (of, shape, elements, data, array) => {
    const decoded = responseValues({ y: of }, new Map([["y", tensorOf(of.dtype, shape, elements)]]))["y"];
    expect(decoded).toMatchObject({ dtype: of.dtype, shape, data });
    expect(decoded?.toArray()).toEqual(array);
  });
});
