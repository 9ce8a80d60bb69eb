import { type Dim, type DType, type Scalar, type TensorData, valuesOf } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { type Attributes, type OnnxBuilder, type OnnxValue, operators } from "@tritype/operators";
import { given, runBuilt, runChain, runOperator } from "./run-operator.ts";

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
  it("integers are divided with rounding towards zero", async () => {
    const [a, b] = [vector("INT32", 7, -7, 7, -7, 5), vector("INT32", 2, 2, -2, -2, -1)];
    expect(await values("div", [a, b])).toEqual([3, -3, -3, 3, -5]);
  });
  it.each(["INT32", "INT64", "UINT8"] as const)("%s: a zero divisor fails the run", async (dtype) => {
    for (const operator of ["div", "mod"])
      await expect(values(operator, [vector(dtype, 1, 2), vector(dtype, 1, 0)])).rejects.toThrow("Gather");
  });
  it("integers have an exact remainder with the sign of the dividend", async () => {
    const [a, b] = [
      vector("INT64", 2n ** 62n + 3n, -7n, 7n, -(2n ** 63n)),
      vector("INT64", 7n, 2n, -2n, -1n),
    ];
    expect(await values("mod", [a, b])).toEqual([(2n ** 62n + 3n) % 7n, -1n, 1n, 0n]);
    expect(await values("mod", [vector("INT8", -128, -7), vector("INT8", -1, 4)])).toEqual([0, -3]);
    expect(await values("mod", [vector("FP32", -5.5, 5.5), vector("FP32", 2, 0)])).toEqual([
      -1.5,
      Number.NaN,
    ]);
  });
  it("UINT64 is ordered and compared to the last bit", async () => {
    const [a, b] = [
      vector("UINT64", 2n ** 64n - 1n, 1n, 2n ** 63n),
      vector("UINT64", 1n, 2n ** 63n, 2n ** 63n),
    ];
    expect(await values("gt", [a, b])).toEqual([true, false, false]);
    expect(await values("le", [a, b])).toEqual([false, true, true]);
    expect(await values("ne", [a, b])).toEqual([true, true, false]);
  });
  it("integers wrap around in sums and products computed in a wider type", async () => {
    expect(await values("sum", [vector("UINT8", 200, 100)], { axis: 0 })).toEqual([44]);
    expect(await values("sum", [vector("UINT64", 2n ** 64n - 1n, 5n)], { axis: 0 })).toEqual([4n]);
    expect(await values("matmul", [vector("INT8", 100, 100), vector("INT8", 2, 3)])).toEqual([-12]);
    expect(await values("matmul", [vector("UINT16", 60000), vector("UINT16", 3)])).toEqual([48928]);
  });
  it("where keeps all bits of integers", async () => {
    const [a, b] = [vector("UINT64", 2n ** 64n - 1n, 1n), vector("UINT64", 2n, 2n ** 63n)];
    expect(await values("where", [vector("BOOL", true, false), a, b])).toEqual([2n ** 64n - 1n, 2n ** 63n]);
  });
  it("integers are ordered correctly in a wider type", async () => {
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

describe("FP64 keeps its digits next to a MatMul", () => {
  const [column, row, factor] = [[0.7, 1e-3], [1 / 3, 123.456], 0.1];
  const lowered = (b: OnnxBuilder, operator: string, operands: readonly OnnxValue[]): string => {
    const types = operands.map(({ type }) => type);
    const outputs = operators.get(operator)?.infer(types, {}).outputs ?? {};
    return operators.get(operator)?.lower(b, operands, {}, outputs)["out"] ?? "";
  };
  const opTypes: Readonly<Record<string, string>> = { mul: "Mul", div: "Div", matmul: "MatMul" };
  const raw = (b: OnnxBuilder, operator: string, operands: readonly OnnxValue[]): string => {
    const names = operands.map(({ name }) => name);
    return b.node(opTypes[operator] ?? "", names)[0];
  };
  const value = (name: string, ...dims: number[]): OnnxValue => ({ name, type: { dtype: "FP64", dims } });
  const scaled = (operator: string, x: number): number => (operator === "mul" ? x * factor : x / factor);

  describe.each(["mul", "div"])("%s by a number", (operator) => {
    it.each([
      ["of tensor math next to a MatMul of a model", lowered, raw],
      ["of a model next to a matmul of tensor math", raw, lowered],
      ["next to a matmul, both of tensor math", lowered, lowered],
    ])("%s", async (_, scale, multiply) => {
      const feeds = [given("FP64", [2, 1], ...column), given("FP64", [1, 2], ...row)];
      const inputs = [value("x0", 2, 1), value("x1", 1, 2)] as const;
      const number = (b: OnnxBuilder): OnnxValue => value(b.constant(given("FP64", [], factor)));
      const output = value("out", 2, 2);
      const before = await runBuilt({ inputs, output, feeds }, (b) => {
        const first = value(scale(b, operator, [inputs[0], number(b)]), 2, 1);
        return multiply(b, "matmul", [first, inputs[1]]);
      });
      const after = await runBuilt({ inputs, output, feeds }, (b) => {
        const product = value(multiply(b, "matmul", inputs), 2, 2);
        return scale(b, operator, [product, number(b)]);
      });
      const table = (element: (x: number, y: number) => number): readonly number[] =>
        column.flatMap((x) => row.map((y) => element(x, y)));
      expect(valuesOf(before)).toEqual(table((x, y) => scaled(operator, x) * y));
      expect(valuesOf(after)).toEqual(table((x, y) => scaled(operator, x * y)));
    });
  });
});

describe("clip", () => {
  it.each(["FP16", "FP32", "FP64"] as const)(
    "%s: clip keeps Infinity on a side without a bound",
    async (dtype) => {
      const x = vector(dtype, -Infinity, Infinity);
      expect(await values("clip", [x], { min: 0, max: "Infinity" })).toEqual([0, Infinity]);
      expect(await values("clip", [x], { min: "-Infinity", max: 0 })).toEqual([-Infinity, 0]);
      expect(await values("clip", [vector(dtype, 1)], { min: "-0", max: 2 })).toEqual([1]);
    },
  );
  it("clip omits an infinite bound", async () => {
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
  it("clip accepts bounds for integers", async () => {
    expect(
      await values("clip", [vector("INT64", 1n, 2n ** 60n)], { min: 2, max: "1152921504606846970" }),
    ).toEqual([2n, 1152921504606846970n]);
    expect(await values("clip", [vector("UINT16", 1, 65535)], { min: 2, max: 300 })).toEqual([2, 300]);
  });
});

describe("ensureDims", () => {
  const x = given("FP32", [2, 6], ...Array.from({ length: 12 }, (_, i) => i));
  it("ONNX Runtime's error names the method, the tensor and the dimension", async () => {
    await expect(run("ensureDims", [x], { dims: ["n", 4] }, ["n", -1])).rejects.toThrow(
      "Name:'ensureDims(n, 4) of x0: dimension 1 must be 4'",
    );
  });
  it("ensureDims accepts the stated sizes", async () => {
    expect(await values("ensureDims", [x], { dims: [2, 6] }, [-1, "n"])).toEqual(valuesOf(x));
  });
  it.each([[[3, 4]], [[-1, 4]], [[12, 1]], [[2, 5]], [[4, 3]], [[2, 3]]])(
    "refuses %j for [2, 6] at run time",
    async (dims) => {
      await expect(run("ensureDims", [x], { dims }, [-1, -1])).rejects.toThrow("split");
    },
  );
});

it("ensureDims takes effect between reshapes that ONNX Runtime fuses", async () => {
  // The compiler's graphs contain many operators, so an operator's checks must also work next to other operators.
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

it("expand repeats an axis of unknown size up to a named size", async () => {
  const x = given("INT8", [1, 3], 1, 2, 3);
  expect(await values("expand", [x], { dims: ["n", "n"] }, [-1, "n"])).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
});

it("reshape keeps an empty batch", async () => {
  const { out } = await run("reshape", [given("FP32", [0, 2, 3])], { dims: ["batch", -1] }, ["batch", 2, 3]);
  expect(out?.shape).toEqual([0, 6]);
});

it("reshape finds the sizes of reordered names", async () => {
  const x = given("FP32", [2, 3, 4], ...Array.from({ length: 24 }, (_, i) => i));
  const { out } = await run("reshape", [x], { dims: ["b", "c", "a"] }, ["a", "b", "c"]);
  expect(out?.shape).toEqual([3, 4, 2]);
});

describe("gather of texts copies whole blocks", () => {
  const x = given("BYTES", [1, 3, 2], "a", "b", "c", "d", "e", "f");
  const sizes: readonly (readonly Dim[])[] = [x.shape, ["batch", "n", 2], [-1, -1, -1]];
  it.each(sizes.map((dims) => ({ dims })))("$dims", async ({ dims }) => {
    expect(await values("gather", [x], { axis: 1, index: -2 }, dims)).toEqual(["c", "d"]);
    expect(await values("gather", [x], { axis: 0, index: 0 }, dims)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
  it("gather accepts a tensor of indices, and an empty batch", async () => {
    expect(await values("gather", [x, vector("INT32", 2, 0)], { axis: 1 })).toEqual(["e", "f", "a", "b"]);
    const { out } = await run("gather", [given("BYTES", [0, 3, 2])], { axis: 1, index: 1 }, ["batch", 3, 2]);
    expect(out?.shape).toEqual([0, 2]);
  });
});

it("the values of topK are sorted, and argmax returns the first of equal values", async () => {
  const { values: top, indices } = await run("topK", [vector("INT16", 3, 9, 1, 9, 5)], { k: 3, axis: -1 });
  expect([valuesOf(top as TensorData), valuesOf(indices as TensorData)]).toEqual([
    [9, 9, 5],
    [1n, 3n, 4n],
  ]);
  expect(await values("argmax", [vector("UINT32", 3, 9, 9)], { axis: 0 })).toEqual([1n]);
});

it("argmin and argmax of INT64 use every bit", async () => {
  const x = vector("INT64", 2n ** 62n, 2n ** 62n + 1n, -(2n ** 63n), 2n ** 62n + 1n, -(2n ** 63n));
  expect(await values("argmax", [x], { axis: 0 })).toEqual([1n]);
  expect(await values("argmin", [x], { axis: 0, keepDims: true })).toEqual([2n]);
});

describe("an axis of size 0 fails the run and does not end the process", () => {
  const sizes: readonly (readonly Dim[])[] = [
    [2, 0],
    ["batch", "n"],
    [-1, -1],
  ];
  it.each(sizes.map((dims) => ({ dims })))("$dims", async ({ dims }) => {
    const x = given("INT64", [2, 0]);
    for (const [operator, attributes] of [
      ["einsum", { equation: "bi->b" }],
      ["topK", { axis: 0, k: 1 }],
      ["argmax", { axis: 0 }],
      ["argmin", { axis: 0 }],
    ] as const)
      await expect(run(operator, [x], attributes, dims)).rejects.toThrow("Gather");
  });
});

describe("einsum", () => {
  it("wraps integers", async () => {
    const [a, b] = [vector("UINT64", 2n ** 64n - 1n, 5n), vector("UINT64", 2n, 1n)];
    expect(await values("einsum", [a, b], { equation: "i,i" })).toEqual([3n]);
    expect(await values("einsum", [vector("INT8", 100, 100)], { equation: "i->" })).toEqual([-56]);
  });
  it("einsum supports diagonals, traces and products of three tensors", async () => {
    const x = given("FP32", [2, 2], 1, 2, 3, 4);
    expect(await values("einsum", [x], { equation: "ii->i" })).toEqual([1, 4]);
    expect(await values("einsum", [x], { equation: "ii" })).toEqual([5]);
    expect(await values("einsum", [x, x, x], { equation: "ij,jk,kl->il" })).toEqual([37, 54, 81, 118]);
  });
  it("einsum finds the axes of an ellipsis with unknown sizes", async () => {
    const x = given("FP32", [2, 1, 2], 1, 2, 3, 4);
    const y = given("FP32", [2, 2], 1, 0, 0, 1);
    const { out } = await runOperator(
      {
        operator: "einsum",
        operands: [
          { dtype: "FP32", dims: ["batch", -1, "n"] },
          { dtype: "FP32", dims: ["n", -1] },
        ],
        attributes: { equation: "... d, d e -> ... e" },
      },
      [x, y],
    );
    expect(out?.shape).toEqual([2, 1, 2]);
    expect(valuesOf(out as TensorData)).toEqual([1, 2, 3, 4]);
  });
  it("einsum fails the run if unknown sizes differ", async () => {
    const [a, b] = [vector("FP32", 1, 2), vector("FP32", 1, 2, 3)];
    await expect(run("einsum", [a, b], { equation: "i,i->" }, [-1])).rejects.toThrow("Einsum");
  });
});

describe("gelu", () => {
  /** 0.5·x·(1 + tanh(√(2/π)(x + 0.044715x³))) */
  const approximate = (x: number): number =>
    0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  it.each([
    ["FP16", 2e-3],
    ["FP32", 1e-6],
    ["FP64", 1e-14],
  ] as const)("%s: the approximation with tanh", async (dtype, tolerance) => {
    const x = [-3, -0.5, -0, 0.25, 1, 4, 100, -100];
    const got = await values("gelu", [vector(dtype, ...x)], { approximation: "tanh" });
    got.forEach((value, i) =>
      expect(Math.abs(Number(value) - approximate(x[i] ?? 0))).toBeLessThanOrEqual(tolerance),
    );
  });
  it.each(["none", "tanh"])(
    "gelu with approximation %s accepts NaN and infinities",
    async (approximation) => {
      const x = vector("FP32", Number.NaN, Infinity, -Infinity, 0);
      expect(await values("gelu", [x], { approximation })).toEqual([Number.NaN, Infinity, Number.NaN, 0]);
    },
  );
});

describe("pad", () => {
  it.each([
    ["FP16", "-Infinity", 1],
    ["UINT16", 65535, 3],
    ["INT64", "-9223372036854775808", 1n],
    ["BOOL", true, false],
  ] as const)("%s with %s", async (dtype, value, element) => {
    const attributes = { axis: 0, before: 1, after: 0, mode: "constant", value };
    const [added, own] = await values("pad", [vector(dtype, element)], attributes);
    expect([String(added), own]).toEqual([String(value), element]);
  });
  it.each(["reflect", "edge"])("%s: a short axis of unknown size fails the run", async (mode) => {
    const x = given("FP32", [2, mode === "edge" ? 0 : 2], ...(mode === "edge" ? [] : [1, 2, 3, 4]));
    for (const side of ["before", "after"]) {
      const attributes = { axis: 1, before: 0, after: 0, mode, [side]: 2 };
      await expect(run("pad", [x], attributes, [2, "n"])).rejects.toThrow("Gather");
    }
  });
});

describe("split", () => {
  it("split works on text, and on an axis of unknown size", async () => {
    const x = given("BYTES", [2, 3], "a", "b", "c", "d", "e", "f");
    const parts = await run("split", [x], { axis: 1, parts: [1, 2] }, [2, "n"]);
    expect(Object.values(parts).map(valuesOf)).toEqual([
      ["a", "d"],
      ["b", "c", "e", "f"],
    ]);
  });
  it.each([{ parts: [1, 1] }, { parts: 2 }])(
    "split fails the run if $parts do not fill the axis",
    async (way) => {
      const x = vector("FP32", 1, 2, 3);
      await expect(run("split", [x], { axis: 0, ...way }, [-1])).rejects.toThrow("Split");
    },
  );
});

it("tile repeats text", async () => {
  const x = given("BYTES", [2, 1], "a", "b");
  expect(await values("tile", [x], { axis: 0, times: 2 })).toEqual(["a", "b", "a", "b"]);
});

it("oneHot counts negative indices from the end, and ignores indices out of range", async () => {
  const attributes = { depth: 2, axis: 0, to: "INT8" };
  expect(await values("oneHot", [vector("INT64", 1n, -1n, 2n, -3n, 0n)], attributes)).toEqual([
    0, 0, 0, 0, 1, 1, 1, 0, 0, 0,
  ]);
});

describe("layerNorm", () => {
  it("layerNorm fails the run if nothing is normalized", async () => {
    const attributes = { axis: -1, epsilon: 1e-5 };
    await expect(run("layerNorm", [given("FP32", [2, 0])], attributes, [2, "n"])).rejects.toThrow("Layer");
  });
  it("layerNorm accepts a scale and a bias of unknown sizes", async () => {
    const x = given("FP32", [1, 2], 1, 3);
    const weights = [vector("FP32", 2, 4), vector("FP32", 10, 20)];
    const attributes = { axis: 1, epsilon: 0, scale: true, bias: true };
    const dims = [["batch", "n"], ["n"], ["n"]];
    const operands = dims.map((one) => ({ dtype: "FP32" as const, dims: one }));
    const { out } = await runOperator({ operator: "layerNorm", operands, attributes }, [x, ...weights]);
    expect(valuesOf(out as TensorData).map((value) => Math.round(Number(value) * 1e4) / 1e4)).toEqual([
      8, 24,
    ]);
  });
});

describe("labelEncode", () => {
  const big = 2n ** 62n + 1n;
  it.each([
    ["BYTES", ["one", ""], "?", ["one", "", "?"]],
    ["INT64", [String(big), -1], 0, [big, -1n, 0n]],
    ["FP32", ["NaN", "-Infinity"], 0.5, [Number.NaN, -Infinity, 0.5]],
    ["FP64", [0.1, 1e300], -0.1, [0.1, 1e300, -0.1]],
    ["BOOL", [true, false], true, [true, false, true]],
    ["UINT8", [255, 0], 7, [255, 0, 7]],
  ] as const)("text to %s", async (to, labels, otherwise, expected) => {
    const attributes = { to, keys: ["ü", "no"], values: labels, otherwise };
    expect(await values("labelEncode", [vector("BYTES", "ü", "no", "NO")], attributes)).toEqual(expected);
  });
  it("labelEncode maps large keys to text", async () => {
    const attributes = { to: "BYTES", keys: [String(big), -1], values: ["big", "none"], otherwise: "other" };
    expect(await values("labelEncode", [vector("INT64", big, -1n, big - 1n)], attributes)).toEqual([
      "big",
      "none",
      "other",
    ]);
  });
});

it("lookup returns the label, the last one for -1, and fails outside the range", async () => {
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
