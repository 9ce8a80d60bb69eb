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

const fp32 = (...dims: TensorType["dims"]): TensorType => ({ dtype: "FP32", dims });

it.each<[string, readonly TensorType[], Attributes, readonly string[]]>([
  ["add", [fp32("batch"), fp32()], {}, ["Add(x0, x1)", "→ %1"]],
  ["clip", [fp32("batch")], { min: 1e-9, max: "Infinity" }, [`Clip(x0, FP32{${Math.fround(1e-9)}})`, "→ %1"]],
  ["clip", [fp32("batch")], { min: "-Infinity", max: 1 }, ["Clip(x0, , FP32{1})", "→ %1"]],
  ["mean", [fp32("batch", "seq", 4)], { axis: "seq" }, ["ReduceMean(x0) axes=1 keepdims=0", "→ %1"]],
  ["sum", [fp32("batch", "seq", 4)], { axis: "seq" }, ["ReduceSum(x0, INT64{1}) keepdims=0", "→ %1"]],
  [
    "sum",
    [{ dtype: "UINT8", dims: [4] }],
    { axis: 0 },
    ["Cast(x0) to=7", "ReduceSum(%1, INT64{0}) keepdims=0", "Cast(%2) to=2", "→ %3"],
  ],
  [
    "topK",
    [fp32("batch", 9)],
    { k: 2, axis: -1 },
    ["TopK(x0, INT64{2}) axis=1 largest=1 sorted=1", "→ %1 %1.1"],
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
