import { defineEnsemble, fp32, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";

const inside = fp32("batch", 2, 2);
const model = buildModel(
  { name: "m", inputs: [{ name: "x", type: inside }], outputs: [{ name: "y", type: inside }] },
  (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
);

const compiled = (shape: readonly number[]) => {
  const m = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { x: fp32("batch", 4) },
    outputs: { y: fp32("batch", 4) },
    inputFields: { x: { reshape: { shape } } },
    outputFields: { y: { reshape: { shape: [2, 2] } } },
  });
  const e = defineEnsemble({
    name: "e",
    maxBatchSize: 8,
    inputs: { x: fp32("batch", 4) },
    run: ({ x }) => m({ x }),
  });
  return compileInMemory([e], { "m.onnx": model });
};

test("the file is compared with the sizes that result from `reshape`", () => {
  const compilation = compiled([2, 2]);
  expect(compilation.diagnostics).toEqual([]);
  const config = emittedText(compilation, "model_repository/m/config.pbtxt");
  expect(config.match(/dims: \[ 4 \]\s+reshape \{\s+shape: \[ 2, 2 \]/g)).toHaveLength(2);
});

test("for a reshape that does not fit the file, the error shows the reshaped declaration", () => {
  const [found, ...others] = compiled([1, 4]).diagnostics;
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    code: "onnx/wrong-dim",
    notes: ["`reshape` turns FP32[batch, 4] into FP32[batch, 1, 4]"],
  });
});
