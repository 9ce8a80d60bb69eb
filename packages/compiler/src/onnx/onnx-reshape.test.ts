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

test.each([
  [
    fp32(),
    "shape/scalar",
    "declare what the file has; if it has a scalar, export the model with shape [1] for it",
  ],
  [fp32(1), "onnx/wrong-rank", "export the model with shape [1] for it, or with its value as a constant"],
])("for a scalar in the file, the advice on %o is an export with a shape", (k, code, help) => {
  const scaled = buildModel(
    {
      name: "s",
      inputs: [
        { name: "x", type: fp32(4) },
        { name: "k", type: fp32() },
      ],
      outputs: [{ name: "y", type: fp32(4) }],
    },
    (builder) => ({ y: builder.node("Mul", ["x", "k"])[0] }),
  );
  const s = onnx({ name: "s", file: "s.onnx", inputs: { x: fp32(4), k }, outputs: { y: fp32(4) } });
  const e = defineEnsemble({ name: "e", inputs: { x: fp32(4), k }, run: (given) => s(given) });
  const { diagnostics } = compileInMemory([e], { "s.onnx": scaled });
  expect(
    diagnostics.find(({ message }) => message.startsWith("`k` of `s`") || message.startsWith("`s` ")),
  ).toMatchObject({
    code,
    help: expect.stringContaining(help) as string,
  });
});
