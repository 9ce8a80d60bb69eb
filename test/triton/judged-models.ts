import { type DType, dtypes, tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import {
  configText,
  ensembleFiles,
  fp32,
  identityModel,
  onnxFiles,
  port,
} from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/** SUM = A + B and DIFF = A - B, FP32[batch, 2]. */
const sumModel = (): Uint8Array => {
  const row = (name: string) => port(name, "FP32", "batch", 2);
  return buildModel(
    { name: "sum", inputs: [row("A"), row("B")], outputs: [row("SUM"), row("DIFF")] },
    (builder) => ({
      SUM: builder.node("Add", ["A", "B"])[0],
      DIFF: builder.node("Sub", ["A", "B"])[0],
    }),
  );
};

/** FP32[batch] → FP32[batch]. For the model's clients, each row has the shape [1]. */
const scalarModel = (): Uint8Array => {
  const batch = { dtype: "FP32", dims: ["batch"] } as const;
  return buildModel(
    { name: "scalar", inputs: [{ name: "X", type: batch }], outputs: [{ name: "Y", type: batch }] },
    (builder) => ({ Y: builder.node("Add", ["X", builder.constant(tensorOf("FP32", [1], [1]))])[0] }),
  );
};

/** Twice its input, with non-ASCII names. */
const namesModel = (): Uint8Array =>
  buildModel(
    {
      name: "names",
      inputs: [port("größe 日本", "INT32", 1)],
      outputs: [port("größe×2 👍", "INT32", 1)],
    },
    (builder) => ({ "größe×2 👍": builder.node("Add", ["größe 日本", "größe 日本"])[0] }),
  );

/** `Y = X` of any two sizes. */
const echoFiles = (dtype: DType): Files => {
  const name = `echo_${dtype.toLowerCase()}`;
  return onnxFiles(name, identityModel(dtype, "rows", "columns"), {
    inputs: [{ name: "X", dtype, dims: [-1, -1] }],
    outputs: [{ name: "Y", dtype, dims: [-1, -1] }],
  });
};

const failing = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        code = int(pb_utils.get_input_tensor_by_name(request, "X").as_numpy()[0, 0])
        if code == 0:
            raise ValueError("boom")
        codes = {1: pb_utils.TritonError.INVALID_ARG, 2: pb_utils.TritonError.NOT_FOUND, 3: pb_utils.TritonError.UNAVAILABLE}
        error = pb_utils.TritonError(f"no {code}", codes[code]) if code in codes else pb_utils.TritonError(f"no {code}")
        return pb_utils.InferenceResponse(error=error)
`;

/** `Y` = X from a Python model, for dtypes that ONNX Runtime's binding lacks. */
const pythonEcho = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "X") for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor.from_dlpack("Y", tensor.to_dlpack())]) for tensor in inputs]
`;
const pythonEchoFiles = (name: string, dtype: DType, extra = ""): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, {
    inputs: [{ name: "X", dtype, dims: [-1, -1] }],
    outputs: [{ name: "Y", dtype, dims: [-1, -1] }],
    extra,
  })}`,
  [`${name}/1/model.py`]: pythonEcho,
});

/** SEEN = the names of the inputs received. */
const optionalInput = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        names = sorted(tensor.name() for tensor in request.inputs())
        seen = np.array([name.encode() for name in names], dtype=np.object_)
        return pb_utils.InferenceResponse([pb_utils.Tensor("SEEN", seen)])
`;
const one = (name: string, extra = "") => ({ name, dtype: "INT32", dims: [1], extra }) as const;

const pair = { maxBatchSize: 4, inputs: [fp32("A", 2), fp32("B", 2)] };

/** ONNX models and ensembles of them: batched, unbatched, reshaped, strings, two versions. */
export const onnxJudgedModels = (): Files => ({
  ...onnxFiles("sum", sumModel(), {
    ...pair,
    outputs: [{ ...fp32("SUM", 2), extra: 'label_filename: "labels.txt"' }, fp32("DIFF", 2)],
    extra: "version_policy { all { } }",
  }),
  "sum/labels.txt": "first\nsecond one\n",
  "sum/2/model.onnx": sumModel(),
  ...onnxFiles("scalar", scalarModel(), {
    maxBatchSize: 4,
    inputs: [{ ...fp32("X", 1), extra: "reshape { shape: [ ] }" }],
    outputs: [{ ...fp32("Y", 1), extra: "reshape { shape: [ ] }" }],
  }),
  ...onnxFiles("text", identityModel("BYTES", 1), {
    inputs: [{ name: "X", dtype: "BYTES", dims: [1] }],
    outputs: [{ name: "Y", dtype: "BYTES", dims: [1] }],
  }),
  ...onnxFiles("raw", identityModel("INT32", "rows", 2), {
    inputs: [{ name: "X", dtype: "INT32", dims: [-1, 2] }],
    outputs: [{ name: "Y", dtype: "INT32", dims: [-1, 2] }],
  }),
  ...Object.assign(
    {},
    ...(Object.keys(dtypes) as DType[]).filter((dtype) => dtype !== "BF16").map(echoFiles),
  ),
  ...onnxFiles("batched", identityModel("INT32", "batch", 1), {
    maxBatchSize: 4,
    inputs: [one("X")],
    outputs: [one("Y")],
    extra: `dynamic_batching {
      priority_levels: 3
      default_priority_level: 2
      default_queue_policy { allow_timeout_override: true default_timeout_microseconds: 60000000 }
    }`,
  }),
  ...onnxFiles("names", namesModel(), {
    inputs: [one("größe 日本")],
    outputs: [one("größe×2 👍")],
  }),
  ...ensembleFiles(
    "sum_twice",
    { ...pair, outputs: [fp32("SUM", 2), fp32("DIFF", 2)] },
    "sum: A=A B=B SUM=first",
    "sum: A=first B=B SUM=SUM DIFF=DIFF",
  ),
});

/** Models that cover every kind of refusal: those above, failing models, and models that only Python can implement. */
export const judgedModels = (): Files => ({
  ...onnxJudgedModels(),
  ...pythonEchoFiles("echo_bf16", "BF16"),
  "optional/config.pbtxt": `backend: "python"\n${configText("optional", {
    inputs: [one("A"), one("B", "optional: true")],
    outputs: [{ name: "SEEN", dtype: "BYTES", dims: [-1] }],
  })}`,
  "optional/1/model.py": optionalInput,
  ...ensembleFiles(
    "optional_inside",
    {
      inputs: [one("A"), one("B", "optional: true")],
      outputs: [{ name: "SEEN", dtype: "BYTES", dims: [-1] }],
    },
    "optional: A=A B=B SEEN=SEEN",
  ),
  ...Object.fromEntries(
    [0, 4].flatMap((maxBatchSize) => {
      const name = `all_optional_${maxBatchSize}`;
      const inputs = [one("A", "optional: true"), one("B", "optional: true")];
      const outputs = [{ name: "SEEN", dtype: "BYTES", dims: [-1] }] as const;
      return [
        [`${name}/config.pbtxt`, `backend: "python"\n${configText(name, { maxBatchSize, inputs, outputs })}`],
        [`${name}/1/model.py`, optionalInput],
      ];
    }),
  ),
  ...ensembleFiles(
    "all_optional_inside",
    {
      maxBatchSize: 4,
      inputs: [one("A", "optional: true"), one("B", "optional: true")],
      outputs: [{ name: "SEEN", dtype: "BYTES", dims: [-1] }],
    },
    "all_optional_4: A=A B=B SEEN=SEEN",
  ),
  "failing/config.pbtxt": `backend: "python"\n${configText("failing", {
    inputs: [{ name: "X", dtype: "INT32", dims: [-1, -1] }],
    outputs: [{ name: "Y", dtype: "INT32", dims: [-1, -1] }],
  })}`,
  "failing/1/model.py": failing,
  ...ensembleFiles(
    "failing_inside",
    {
      inputs: [{ name: "X", dtype: "INT32", dims: [-1, -1] }],
      outputs: [{ name: "Y", dtype: "INT32", dims: [-1, -1] }],
    },
    "failing: X=X Y=Y",
  ),
});

/** The models that compute something, which load in a third of the time. */
export const judgedModelsWithoutEchoes = (): Files =>
  Object.fromEntries(Object.entries(judgedModels()).filter(([path]) => !path.startsWith("echo_")));
