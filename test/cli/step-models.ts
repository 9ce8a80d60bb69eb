import { buildModel } from "@tritype/onnx";

/** FP32[batch, 4] → the same, after an operator with a number: `withNumber("Add", 0.5)`. */
export const withNumber = (operator: "Add" | "Pow", number: number): Uint8Array =>
  buildModel(
    {
      name: operator,
      inputs: [{ name: "x", type: { dtype: "FP32", dims: ["batch", 4] } }],
      outputs: [{ name: "y", type: { dtype: "FP32", dims: ["batch", 4] } }],
    },
    (builder) => {
      const data = new Uint8Array(new Float32Array([number]).buffer);
      const constant = builder.constant({ dtype: "FP32", shape: [1], data });
      return { y: builder.node(operator, ["x", constant])[0] };
    },
  );

/**
 * `shift` adds 1, `grow` squares in its own ensemble, `halve` is Python, and the last step is tensor math. `walk` calls
 * models from code.
 */
export const stepsSource = `import { defineEnsemble, flow, fp32, onnx, python } from "tritype";

const row = fp32("batch", 4);
const shift = onnx({ name: "shift", file: "models/shift.onnx", inputs: { x: row }, outputs: { y: row } });
const grow = onnx({ name: "grow", file: "models/grow.onnx", inputs: { x: row }, outputs: { y: row } });
const halve = python({ name: "halve", file: "steps/halve.py", inputs: { x: row }, outputs: { y: row } });

export const grown = defineEnsemble({
  name: "grown",
  maxBatchSize: 8,
  inputs: { x: row },
  run: ({ x }) => ({ y: grow({ x }).y }),
});

export const steps = defineEnsemble({
  name: "steps",
  maxBatchSize: 8,
  inputs: { x: row },
  run: ({ x }) => {
    const { y } = grown({ x: shift({ x }).y });
    return { sum: halve({ x: y }).y.sum(-1, { keepDims: true }) };
  },
  warmup: [{ name: "counting", inputs: { x: [[1, 2, 3, 4]] } }],
});

export const walk = flow({
  name: "walk",
  maxBatchSize: 8,
  inputs: { x: row },
  outputs: { first: fp32("batch", 1) },
  uses: { shift, grown },
  async run({ x }, { shift, grown }) {
    const { y } = await grown({ x: (await shift({ x })).y });
    return { first: y[0] ?? 0 };
  },
  warmup: [{ name: "counting", inputs: { x: [[1, 2, 3, 4]] } }],
});
`;

/** A step that multiplies. */
export const times = (factor: number): string => `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(one, "x").as_numpy()) for one in requests]

    def answer(self, x):
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x * x.dtype.type(${factor}))])
`;

export const stepsFiles: Readonly<Record<string, string | Uint8Array>> = {
  "pipeline.ts": stepsSource,
  "models/shift.onnx": withNumber("Add", 1),
  "models/grow.onnx": withNumber("Pow", 2),
  "steps/halve.py": times(0.5),
};
