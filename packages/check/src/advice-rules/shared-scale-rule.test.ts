import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { showAdvice } from "./advice.fixture.ts";

type Build = Parameters<typeof buildModel>[1];
type Builder = Parameters<Build>[0];

const type = { dtype: "FP32", dims: ["batch", 2] } as const;
const batching = "dynamic_batching { }";

const advise = (size: number, build: Build, more = batching): string =>
  showAdvice({
    "m/config.pbtxt": `backend: "onnxruntime" max_batch_size: ${size}
input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
${more}`,
    "m/1/model.onnx": buildModel(
      { name: "same", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
      build,
    ),
  });

const says = (nodes: string): string =>
  `m/config.pbtxt:4:1 batch/shared-scale: \`m\` quantizes all rows of a batch with one scale (${nodes}): a result depends on the rest of its batch`;

/** Quantizes a tensor, and converts it back. */
const rounded = (builder: Builder, value: string): string =>
  builder.node("DequantizeLinear", builder.node("DynamicQuantizeLinear", [value], {}, 3))[0];

const once: Build = (builder) => ({ y: rounded(builder, builder.node("Neg", ["x"])[0]) });

test("reports rows that share a scale", () => {
  expect(advise(8, once)).toBe(says("1 × `DynamicQuantizeLinear`"));
  const twice: Build = (builder) => ({ y: rounded(builder, rounded(builder, "x")) });
  expect(advise(8, twice)).toBe(says("2 × `DynamicQuantizeLinear`"));
});

test("reports nothing if rows are never merged", () => {
  expect(advise(8, once, "")).toBe("");
  expect(advise(2, once, batching)).not.toBe("");
});

test.each<[string, Build]>([
  [
    "a table",
    (builder) => ({
      y: builder.node("Add", ["x", rounded(builder, builder.constant(tensorOf("FP32", [2], [1, 2])))])[0],
    }),
  ],
  [
    "sizes",
    (builder) => {
      const [sizes] = builder.node("Cast", builder.node("Shape", ["x"]), { to: { int: 1 } });
      return { y: builder.node("Add", ["x", rounded(builder, sizes)])[0] };
    },
  ],
])("reports nothing for a scale of %s", (_, build) => expect(advise(8, build)).toBe(""));
