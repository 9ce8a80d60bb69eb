import { type TensorType, valuesOf } from "@tritype/core";
import { expect, it } from "vitest";
import { type Attributes, type OnnxBuilder, operators } from "./index.ts";

/** The nodes as text: `Op(input, …) attribute=…`. A value is named after its node; a constant is its elements. */
const lowered = (
  operator: string,
  types: readonly TensorType[],
  attributes: Attributes,
): readonly string[] => {
  const lines: string[] = [];
  const builder: OnnxBuilder = {
    node(opType, inputs, given = {}, outputs = 1) {
      const shown = Object.entries(given).map(([name, value]) => ` ${name}=${Object.values(value).join()}`);
      lines.push(`${opType}(${inputs.join(", ")})${shown.join("")}`);
      const name = `%${lines.length}`;
      return [name, ...Array.from({ length: outputs - 1 }, (_, i) => `${name}.${i + 1}`)];
    },
    constant: (tensor) => `${tensor.dtype}{${valuesOf(tensor).map(String).join(" ")}}`,
  };
  const definition = operators.get(operator);
  const outputs = definition?.infer(types, attributes).outputs ?? {};
  const operands = types.map((type, i) => ({ name: `x${i}`, type }));
  const results = definition?.lower(builder, operands, attributes, outputs) ?? {};
  expect(Object.keys(results)).toEqual(Object.keys(outputs));
  return [...lines, `→ ${Object.values(results).join(" ")}`];
};

/** The run fails where x0 has an axis of size 0. */
const notEmpty = [
  "Shape(x0)",
  "Equal(%1, INT64{0})",
  "Cast(%2) to=7",
  "Gather(INT64{0}, %3) axis=0",
  "Add(%1, %4)",
  "Reshape(x0, %5)",
];

const fp32 = (...dims: TensorType["dims"]): TensorType => ({ dtype: "FP32", dims });

it.each<[string, readonly TensorType[], Attributes, readonly string[]]>([
  ["add", [fp32("batch"), fp32()], {}, ["Add(x0, x1)", "→ %1"]],
  [
    "clip",
    [fp32("batch")],
    { min: 1e-9, max: "Infinity" },
    [`Clip(x0, FP32{${Math.fround(1e-9)}}, FP32{Infinity})`, "→ %1"],
  ],
  ["clip", [fp32("batch")], { min: "-Infinity", max: 1 }, ["Clip(x0, FP32{-Infinity}, FP32{1})", "→ %1"]],
  ["mean", [fp32("batch", "seq", 4)], { axis: "seq" }, ["ReduceMean(x0) axes=1 keepdims=0", "→ %1"]],
  ["sum", [fp32("batch", "seq", 4)], { axis: "seq" }, ["ReduceSum(x0, INT64{1}) keepdims=0", "→ %1"]],
  [
    "sum",
    [{ dtype: "UINT8", dims: [4] }],
    { axis: 0 },
    ["Cast(x0) to=7", "ReduceSum(%1, INT64{0}) keepdims=0", "Cast(%2) to=2", "→ %3"],
  ],
  ["topK", [fp32(9)], { k: 2, axis: -1 }, ["TopK(x0, INT64{2}) axis=0 largest=1 sorted=1", "→ %1 %1.1"]],
  [
    "topK",
    [fp32("batch", 9)],
    { k: 2, axis: -1 },
    [...notEmpty, "TopK(%6, INT64{2}) axis=1 largest=1 sorted=1", "→ %7 %7.1"],
  ],
  ["einsum", [fp32(2, 3), fp32(3)], { equation: "ij, j" }, ["Einsum(x0, x1) equation=ij,j->i", "→ %1"]],
  [
    "einsum",
    [fp32("batch", 2, 3)],
    { equation: "...ij -> ...ji" },
    [...notEmpty, "Einsum(%6) equation=aij->aji", "→ %7"],
  ],
  [
    "einsum",
    [{ dtype: "UINT8", dims: [2] }],
    { equation: "i->" },
    ["Cast(x0) to=7", "Einsum(%1) equation=i->", "Cast(%2) to=2", "→ %3"],
  ],
  ["split", [fp32("batch", 9)], { axis: 1, parts: [4, 5] }, ["Split(x0, INT64{4 5}) axis=1", "→ %1 %1.1"]],
  ["split", [fp32("batch", 9)], { axis: 1, parts: 3 }, ["Split(x0) axis=1", "→ %1 %1.1 %1.2"]],
  ["tile", [fp32("batch", 2)], { axis: 1, times: 3 }, ["Tile(x0, INT64{1 3})", "→ %1"]],
  [
    "pad",
    [fp32("batch", 2)],
    { axis: -1, before: 1, after: 2, mode: "constant", value: "-Infinity" },
    ["Pad(x0, INT64{0 1 0 2}, FP32{-Infinity}) mode=constant", "→ %1"],
  ],
  [
    "pad",
    [fp32("batch", "n")],
    { axis: "n", before: 2, after: 1, mode: "reflect" },
    ["Gather(x0, INT64{2 1}) axis=1", "Gather(x0, INT64{-2}) axis=1", "Concat(%1, x0, %2) axis=1", "→ %3"],
  ],
  [
    "oneHot",
    [{ dtype: "INT64", dims: ["batch"] }],
    { depth: 3, axis: -1, to: "FP32" },
    [
      "Less(x0, INT64{0})",
      "Add(x0, INT64{3})",
      "Where(%1, %2, x0)",
      "Unsqueeze(%3, INT64{1})",
      "Equal(%4, INT64{0 1 2})",
      "Cast(%5) to=1",
      "→ %6",
    ],
  ],
  [
    "layerNorm",
    [fp32("batch", "seq", 2), fp32(2)],
    { axis: -1, epsilon: 1e-5, scale: false, bias: true },
    ["LayerNormalization(x0, FP32{1 1}, x1) axis=2 epsilon=0.00001", "→ %1"],
  ],
  [
    "layerNorm",
    [fp32("batch", "seq")],
    { axis: -1, epsilon: 1e-5, scale: false, bias: false },
    [
      "Shape(x0) start=1 end=2",
      "Expand(FP32{1}, %1)",
      "LayerNormalization(x0, %2) axis=1 epsilon=0.00001",
      "→ %3",
    ],
  ],
  [
    "gelu",
    [fp32("batch")],
    { approximation: "none" },
    [
      `Mul(x0, FP32{${Math.fround(Math.SQRT1_2)}})`,
      "Erf(%1)",
      "Add(%2, FP32{1})",
      "Mul(x0, FP32{0.5})",
      "Mul(%4, %3)",
      "→ %5",
    ],
  ],
  [
    "labelEncode",
    [{ dtype: "INT32", dims: ["batch"] }],
    { to: "BYTES", keys: [3, 5], values: ["a", "b"], otherwise: "?" },
    [
      "Cast(x0) to=7",
      "ai.onnx.ml.LabelEncoder(%1) keys_int64s=3,5 values_strings=a,b default_string=?",
      "→ %2",
    ],
  ],
  [
    "labelEncode",
    [{ dtype: "BYTES", dims: ["batch"] }],
    { to: "FP64", keys: ["x", "y"], values: [0.5, "NaN"], otherwise: 7 },
    [
      "ai.onnx.ml.LabelEncoder(x0) keys_strings=x,y values_int64s=0,1 default_int64=2",
      "Gather(FP64{0.5 NaN 7}, %1) axis=0",
      "→ %2",
    ],
  ],
  ["reshape", [fp32("batch", 3, 4)], { dims: ["batch", 12] }, ["Reshape(x0, INT64{0 12})", "→ %1"]],
  ["reshape", [fp32("n", 4, "m")], { dims: ["n", "m", 4] }, ["Reshape(x0, INT64{0 -1 4})", "→ %1"]],
  [
    "reshape",
    [fp32("n", 4, "m")],
    { dims: ["m", 4, "n"] },
    ["Shape(x0) start=0 end=1", "Concat(INT64{-1 4}, %1) axis=0", "Reshape(x0, %2)", "→ %3"],
  ],
  ["expand", [fp32("batch", 1)], { dims: ["batch", 4] }, ["Expand(x0, INT64{1 4})", "→ %1"]],
  [
    "slice",
    [fp32("batch", 9)],
    { axis: 1, start: 2 },
    ["Slice(x0, INT64{2}, INT64{9223372036854775807}, INT64{1})", "→ %1"],
  ],
  ["ensureDims", [fp32("batch", -1, 4)], { dims: ["batch", 7, 4] }, ["Split(x0, INT64{7}) axis=1", "→ %1"]],
  ["ensureDims", [fp32("batch", -1)], { dims: ["batch", "seq"] }, ["Identity(x0)", "→ %1"]],
  [
    "lookup",
    [{ dtype: "INT64", dims: ["batch"] }],
    { labels: ["no", "yes"] },
    ["Gather(BYTES{no yes}, x0) axis=0", "→ %1"],
  ],
  ["constant", [], { dtype: "FP32", dims: [], values: ["-Infinity"] }, ["→ FP32{-Infinity}"]],
])("%s %j %j", (operator, types, attributes, expected) => {
  expect(lowered(operator, types, attributes)).toEqual(expected);
});
