import { type Dim, type DType, type Scalar, type TensorData, valuesOf } from "@tritype/core";
import type { Attributes } from "@tritype/operators";
import { describe, expect, it } from "vitest";
import { given, runChain, runOperator } from "./run-operator.ts";

const run = async (
  operator: string,
  feeds: readonly TensorData[],
  attributes: Attributes = {},
  dims?: readonly Dim[],
): Promise<Readonly<Record<string, TensorData>>> =>
  runOperator(
    { operator, operands: feeds.map((x) => ({ dtype: x.dtype, dims: dims ?? x.shape })), attributes },
    feeds,
  );

const values = async (...call: Parameters<typeof run>): Promise<readonly Scalar[]> => {
  const { out } = await run(...call);
  return valuesOf(out as TensorData);
};
const vector = (dtype: DType, ...elements: Scalar[]): TensorData =>
  given(dtype, [elements.length], ...elements);

describe("integers", () => {
  const smallest: readonly [DType, Scalar][] = [
    ["INT8", -128],
    ["INT16", -32768],
    ["INT32", -2147483648],
    ["INT64", -(2n ** 63n)],
  ];
  it.each(smallest)(
    "%s: the smallest divided by -1 wraps and does not end the process",
    async (dtype, least) => {
      const row = Array.from({ length: 64 }, () => least);
      const divisor = row.map(() => (typeof least === "bigint" ? -1n : -1));
      expect(await values("div", [vector(dtype, ...row), vector(dtype, ...divisor)])).toEqual(row);
    },
  );
  it("are divided towards zero", async () => {
    const [a, b] = [vector("INT32", 7, -7, 7, -7, 5), vector("INT32", 2, 2, -2, -2, -1)];
    expect(await values("div", [a, b])).toEqual([3, -3, -3, 3, -5]);
  });
  it.each(["INT32", "INT64", "UINT8"] as const)("%s: a zero divisor fails the run", async (dtype) => {
    await expect(values("div", [vector(dtype, 1, 2), vector(dtype, 1, 0)])).rejects.toThrow(
      "Integer division by zero",
    );
  });
  it("wrap in sums and products that run in a carrier", async () => {
    expect(await values("sum", [vector("UINT8", 200, 100)], { axis: 0 })).toEqual([44]);
    expect(await values("sum", [vector("UINT64", 2n ** 64n - 1n, 5n)], { axis: 0 })).toEqual([4n]);
    expect(await values("matmul", [vector("INT8", 100, 100), vector("INT8", 2, 3)])).toEqual([-12]);
    expect(await values("matmul", [vector("UINT16", 60000), vector("UINT16", 3)])).toEqual([48928]);
  });
  it("keep all their bits through where", async () => {
    const [a, b] = [vector("UINT64", 2n ** 64n - 1n, 1n), vector("UINT64", 2n, 2n ** 63n)];
    expect(await values("where", [vector("BOOL", true, false), a, b])).toEqual([2n ** 64n - 1n, 2n ** 63n]);
  });
  it("are ordered as they should be in a carrier", async () => {
    expect(await values("max", [vector("UINT32", 1, 4294967295)], { axis: 0 })).toEqual([4294967295]);
    expect(await values("minimum", [vector("UINT16", 1, 65535), vector("UINT16", 40000, 40000)])).toEqual([
      1, 40000,
    ]);
    expect(await values("relu", [vector("INT16", -32768, 5)])).toEqual([0, 5]);
  });
  it("have powers", async () => {
    expect(await values("pow", [vector("INT64", 3n, -2n, 2n), vector("INT64", 4n, 3n, -1n)])).toEqual([
      81n,
      -8n,
      0n,
    ]);
    expect(await values("pow", [vector("UINT8", 15, 20), vector("UINT8", 2, 2)])).toEqual([225, 144]);
  });
});

describe("clip", () => {
  it("leaves an infinite bound out", async () => {
    const x = vector("FP32", -1, 0, 1e30);
    expect(await values("clip", [x], { min: 0, max: "Infinity" })).toEqual([0, 0, Math.fround(1e30)]);
    expect(await values("clip", [x], { min: "-Infinity", max: 0 })).toEqual([-1, 0, 0]);
    expect(await values("clip", [x], { min: "-Infinity", max: "Infinity" })).toEqual(valuesOf(x));
  });
  it.each([
    ["FP16", 2 ** -24],
    ["FP32", Math.fround(1e-9)],
    ["FP64", 1e-9],
  ] as const)("%s: 1e-9 stays above zero", async (dtype, least) => {
    expect(await values("clip", [vector(dtype, 0, 2)], { min: 1e-9, max: "Infinity" })).toEqual([least, 2]);
  });
  it("takes bounds of integers", async () => {
    expect(
      await values("clip", [vector("INT64", 1n, 2n ** 60n)], { min: 2, max: "1152921504606846970" }),
    ).toEqual([2n, 1152921504606846970n]);
    expect(await values("clip", [vector("UINT16", 1, 65535)], { min: 2, max: 300 })).toEqual([2, 300]);
  });
});

describe("ensureDims", () => {
  const x = given("FP32", [2, 6], ...Array.from({ length: 12 }, (_, i) => i));
  it("lets the stated sizes pass", async () => {
    expect(await values("ensureDims", [x], { dims: [2, 6] }, [-1, "n"])).toEqual(valuesOf(x));
  });
  it.each([[[3, 4]], [[-1, 4]], [[12, 1]], [[2, 5]], [[4, 3]], [[2, 3]]])(
    "refuses %j for [2, 6] when it runs",
    async (dims) => {
      await expect(run("ensureDims", [x], { dims }, [-1, -1])).rejects.toThrow("split");
    },
  );
});

it("ensureDims holds between reshapes that ONNX Runtime fuses", async () => {
  // The compiler's graphs hold many operators, so what one checks must survive its neighbours.
  const x = given("FP32", [12], ...Array.from({ length: 12 }, (_, i) => i));
  const [unknown, pinned] = [
    { dtype: "FP32", dims: [-1, -1] },
    { dtype: "FP32", dims: [-1, 4] },
  ] as const;
  const chain = [
    { operator: "reshape", operand: { dtype: "FP32", dims: [-1] }, attributes: { dims: [-1, 6] } },
    { operator: "ensureDims", operand: unknown, attributes: { dims: [-1, 4] } },
    { operator: "reshape", operand: pinned, attributes: { dims: [12] } },
  ] as const;
  await expect(runChain(chain, x)).rejects.toThrow("split");
});

it("squeeze of an unknown size that is not 1 fails the run", async () => {
  await expect(run("squeeze", [given("FP32", [2, 2], 1, 2, 3, 4)], { axis: 1 }, [2, -1])).rejects.toThrow(
    "Squeeze",
  );
});

it("expand repeats an unknown size to a named one", async () => {
  const x = given("INT8", [1, 3], 1, 2, 3);
  expect(await values("expand", [x], { dims: ["n", "n"] }, [-1, "n"])).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
});

it("reshape keeps an empty batch", async () => {
  const { out } = await run("reshape", [given("FP32", [0, 2, 3])], { dims: ["batch", -1] }, ["batch", 2, 3]);
  expect(out?.shape).toEqual([0, 6]);
});

it("reshape finds the sizes of names that change places", async () => {
  const x = given("FP32", [2, 3, 4], ...Array.from({ length: 24 }, (_, i) => i));
  const { out } = await run("reshape", [x], { dims: ["b", "c", "a"] }, ["a", "b", "c"]);
  expect(out?.shape).toEqual([3, 4, 2]);
});

describe("gather of texts takes whole blocks", () => {
  const x = given("BYTES", [1, 3, 2], "a", "b", "c", "d", "e", "f");
  const sizes: readonly (readonly Dim[])[] = [x.shape, ["batch", "n", 2], [-1, -1, -1]];
  it.each(sizes.map((dims) => ({ dims })))("$dims", async ({ dims }) => {
    expect(await values("gather", [x], { axis: 1, index: -2 }, dims)).toEqual(["c", "d"]);
    expect(await values("gather", [x], { axis: 0, index: 0 }, dims)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
  it("by a tensor, and of an empty batch", async () => {
    expect(await values("gather", [x, vector("INT32", 2, 0)], { axis: 1 })).toEqual(["e", "f", "a", "b"]);
    const { out } = await run("gather", [given("BYTES", [0, 3, 2])], { axis: 1, index: 1 }, ["batch", 3, 2]);
    expect(out?.shape).toEqual([0, 2]);
  });
});

it("topK is sorted, argmax takes the first", async () => {
  const { values: top, indices } = await run("topK", [vector("INT16", 3, 9, 1, 9, 5)], { k: 3, axis: -1 });
  expect([valuesOf(top as TensorData), valuesOf(indices as TensorData)]).toEqual([
    [9, 9, 5],
    [1n, 3n, 4n],
  ]);
  expect(await values("argmax", [vector("UINT32", 3, 9, 9)], { axis: 0 })).toEqual([1n]);
});

it("lookup gives the label, the last one for -1, and fails outside", async () => {
  const labels = ["negative", "", "größer"];
  expect(await values("lookup", [vector("INT64", 2n, 0n, 1n, -1n)], { labels })).toEqual([
    "größer",
    "negative",
    "",
    "größer",
  ]);
  await expect(run("lookup", [vector("INT32", 3)], { labels })).rejects.toThrow("Gather");
});

it("softmax of large numbers is finite", async () => {
  expect(await values("softmax", [vector("FP32", 1e30, 1e30)], { axis: 0 })).toEqual([0.5, 0.5]);
});

it("cast truncates floats, wraps integers and reads text", async () => {
  expect(await values("cast", [vector("FP32", 1.9, -1.9)], { to: "INT32" })).toEqual([1, -1]);
  expect(await values("cast", [vector("INT64", 300n, -1n)], { to: "UINT8" })).toEqual([44, 255]);
  expect(await values("cast", [vector("BYTES", "12", "-3")], { to: "INT64" })).toEqual([12n, -3n]);
  await expect(run("cast", [vector("BYTES", "twelve")], { to: "INT64" })).rejects.toThrow();
});

it.each([
  ["INT64", ["-9223372036854775808", 3], [-(2n ** 63n), 3n]],
  ["UINT64", ["18446744073709551615", 0], [2n ** 64n - 1n, 0n]],
  ["FP32", ["-Infinity", "NaN"], [-Infinity, Number.NaN]],
  ["FP16", [0.5, "Infinity"], [0.5, Infinity]],
  ["BOOL", [true, false], [true, false]],
  ["BYTES", ["ü", ""], ["ü", ""]],
] as const)("constant %s %j", async (dtype, written, expected) => {
  expect(await values("constant", [], { dtype, dims: [2], values: written })).toEqual(expected);
});
