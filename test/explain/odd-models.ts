import { buildModel } from "@tritype/onnx";
import { tensorOf } from "@tritype/core";
import {
  configText,
  ensembleFiles,
  fp32,
  onnxFiles,
  port,
} from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

const head = `import json
import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
`;
const each = (body: string): string => `    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
${body
  .trim()
  .split("\n")
  .map((line) => `        ${line}`)
  .join("\n")}
`;
const same = 'return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x)])';
const io = { inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)] };

const python = (name: string, code: string, extra = "", maxBatchSize = 0): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, { ...io, maxBatchSize, extra })}`,
  [`${name}/1/model.py`]: head + code,
});

/** The behaviour of `odd` for each first value of its input. */
const oddAnswers = `    def execute(self, requests):
        code = int(pb_utils.get_input_tensor_by_name(requests[0], "X").as_numpy()[0])
        y = np.zeros(2, np.float32)
        if code == 0:
            return "text"
        if code == 1:
            return []
        if code == 2:
            return [5]
        if code == 3:
            return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", json)])]
        if code == 4:
            return [self.call("nowhere")]
        if code == 5:
            return [self.call("stream")]
        if code == 6:
            raise pb_utils.TritonModelException("no such language")
        if code == 7:
            return [pb_utils.InferenceResponse([], error=pb_utils.TritonError("bad row"))]
        if code == 8:
            pb_utils.get_input_tensor_by_name(requests[0], "Z").as_numpy()
        if code == 9:
            return [pb_utils.InferenceResponse([pb_utils.Tensor("", y)])]
        if code == 10:
            np.zeros((2, 3)) @ np.zeros((2, 3))
        if code == 11:
            return [self.call("odd_target", {"W": y})]
        if code == 12:
            self.tokenizer("text")
        if code == 13:
            raise MemoryError("cannot allocate 80 GB")
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", y)])]

    def call(self, model, tensors=None):
        inputs = [pb_utils.Tensor(name, value) for name, value in (tensors or {"X": np.zeros(2, np.float32)}).items()]
        answer = pb_utils.InferenceRequest(model_name=model, requested_output_names=["Y"], inputs=inputs).exec()
        if answer.has_error():
            raise pb_utils.TritonModelException(answer.error().message())
        return answer
`;

/** 4 rows of 2 values, selected by index. */
const tableModel = (): Uint8Array =>
  buildModel(
    { name: "table", inputs: [port("X", "INT64", "n")], outputs: [port("Y", "FP32", "n", 2)] },
    (builder) => ({
      Y: builder.node("Gather", [builder.constant(tensorOf("FP32", [4, 2], [1, 2, 3, 4, 5, 6, 7, 8])), "X"], {
        axis: { int: 0 },
      })[0],
    }),
  );
const fixedModel = (): Uint8Array =>
  buildModel(
    { name: "fixed", inputs: [port("X", "FP32", 2)], outputs: [port("Y", "FP32", 2)] },
    (builder) => ({ Y: builder.node("Neg", ["X"])[0] }),
  );
const reshapeModel = (): Uint8Array =>
  buildModel(
    { name: "reshape", inputs: [port("X", "FP32", "n")], outputs: [port("Y", "FP32", "m", 2)] },
    (builder) => ({
      Y: builder.node("Reshape", ["X", builder.constant(tensorOf("INT64", [2], [-1, 2]))])[0],
    }),
  );

const initialize = (body: string): string => `    def initialize(self, args):
        ${body}

${each(same)}`;
const open = { inputs: [fp32("X", -1)], outputs: [fp32("Y", -1)] };

/** Models that load but fail later, and models that do not load. */
export const oddModels = (): Files => ({
  ...python("odd", oddAnswers),
  ...python("odd_target", each(same)),
  ...python(
    "slow",
    each(`time.sleep(1.0)\n${same}`),
    "dynamic_batching { default_queue_policy { max_queue_size: 1 timeout_action: REJECT default_timeout_microseconds: 200000 allow_timeout_override: true } }",
    1,
  ),
  ...python("sleepy", each(`time.sleep(1.0)\n${same}`)),
  ...python(
    "seq",
    each(same),
    'sequence_batching { direct { } max_sequence_idle_microseconds: 5000000 control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } } }',
    2,
  ),
  ...python(
    "stream",
    `    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            x = pb_utils.get_input_tensor_by_name(request, "X")
            for _ in range(2):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", x.as_numpy())]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`,
    "model_transaction_policy { decoupled: true }",
  ),
  ...python("listing", each(same), "model_transaction_policy { decoupled: true }"),
  ...python("quits", each("os._exit(1)")),
  ...python("other_name", each(same.replace('"Y"', '"Z"'))),
  ...python(
    "other_type",
    each('return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x.astype(np.int64))])'),
  ),
  ...python(
    "longer",
    each('return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.zeros(3, np.float32))])'),
  ),
  ...python("batched", each(same), "", 4),
  ...onnxFiles("table", tableModel(), {
    inputs: [{ name: "X", dtype: "INT64", dims: [-1] }],
    outputs: [fp32("Y", -1, 2)],
  }),
  ...onnxFiles("fixed", fixedModel(), open),
  ...onnxFiles("reshape", reshapeModel(), { inputs: [fp32("X", -1)], outputs: [fp32("Y", -1, 2)] }),
  ...ensembleFiles(
    "shares",
    { ...io, outputs: [fp32("Y", 2), fp32("MID", 2)] },
    "odd_target: X=X Y=MID",
    "fixed_two: X=MID Y=Y",
  ),
  ...onnxFiles("fixed_two", fixedModel(), io),
  ...ensembleFiles("lacks", io, "other_name: X=X Y=mid", "fixed_two: X=mid Y=Y"),
  ...ensembleFiles("mistypes", io, "other_type: X=X Y=mid", "fixed_two: X=mid Y=Y"),
  ...ensembleFiles("lengthens", io, "longer: X=X Y=mid", "fixed_two: X=mid Y=Y"),
  ...ensembleFiles("batches", { ...io, maxBatchSize: 4 }, "odd_target: X=X Y=Y"),
  ...ensembleFiles("loses", io, "other_name: X=X Y=Y"),
  ...ensembleFiles("inside", io, "odd: X=X Y=Y"),
  // These do not load.
  ...Object.fromEntries(
    Object.entries(python("no_module", each(same))).map(([path, text]) => [
      path,
      String(text).replace("import json", "import no_such_package"),
    ]),
  ),
  ...python("no_file", initialize('open(os.path.join(args["model_repository"], "vocab.json"))')),
  ...python(
    "no_key",
    initialize('self.limit = json.loads(args["model_config"])["parameters"]["limit"]["string_value"]'),
  ),
  ...python("no_device", initialize('raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")')),
  ...python("quits_early", initialize("os._exit(3)")),
  ...python("raises", initialize('raise ValueError("no weights")')),
  ...Object.fromEntries(
    Object.entries(python("tabbed", each(same))).map(([path, text]) => [
      path,
      String(text).replace("        return [", "\treturn ["),
    ]),
  ),
});
