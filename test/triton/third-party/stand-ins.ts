import { type DType, tensorOf } from "@tritype/core";
import { buildModel, type ModelBuilder } from "@tritype/onnx";
import {
  configText,
  onnxFiles,
  type PortText,
  port,
} from "../../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";

const int32 = 6;
const int8 = 3;
const onCpu = "instance_group { kind: KIND_CPU count: 1 }";

const ports = (dtype: DType, side: string, size: number): readonly PortText[] =>
  [0, 1].map((index) => ({ name: `${side}${index}`, dtype, dims: [size] }));

/** `OUTPUT0` is the sum and `OUTPUT1` the difference of 16 integers. */
const sumAndDifference = (name: string, dtype: "INT32" | "INT8"): Files => {
  const cast = (b: ModelBuilder, value: string, to: number): string =>
    dtype === "INT32" ? value : b.node("Cast", [value], { to: { int: to } })[0];
  const row = (side: string) => port(side, dtype, "batch", 16);
  const model = buildModel(
    { name, inputs: [row("INPUT0"), row("INPUT1")], outputs: [row("OUTPUT0"), row("OUTPUT1")] },
    (b) => {
      const inputs = ["INPUT0", "INPUT1"].map((input) => cast(b, input, int32));
      return {
        OUTPUT0: cast(b, b.node("Add", inputs)[0], int8),
        OUTPUT1: cast(b, b.node("Sub", inputs)[0], int8),
      };
    },
  );
  return onnxFiles(name, model, {
    maxBatchSize: 8,
    inputs: ports(dtype, "INPUT", 16),
    outputs: ports(dtype, "OUTPUT", 16),
    extra: onCpu,
  });
};

const control = (name: string, kind: string, type = "int32_false_true: [ 0, 1 ]"): string =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} ${type} } }`;

/** `OUTPUT` is `INPUT`, plus 1 in the first request of a sequence, plus the sequence's id in the last one. */
const sequenceModel = (name: string, batching: string, withId: boolean): Files => {
  const row = (input: string, dtype: "INT32" | "UINT64" = "INT32") => port(input, dtype, "batch", 1);
  const inputs = [row("INPUT"), row("START"), row("READY")];
  const more = withId ? [row("END"), row("CORRID", "UINT64")] : [];
  const model = buildModel({ name, inputs: [...inputs, ...more], outputs: [row("OUTPUT")] }, (b) => {
    const add = (one: string, other: string): string => b.node("Add", [one, other])[0];
    const ready = b.node("Mul", ["READY", b.constant(tensorOf("INT32", [1], [0]))])[0];
    const started = add(add("INPUT", "START"), ready);
    if (!withId) return { OUTPUT: started };
    const id = b.node("Cast", ["CORRID"], { to: { int: int32 } })[0];
    return { OUTPUT: add(started, b.node("Mul", ["END", id])[0]) };
  });
  const id = control("CORRID", "CORRID", "data_type: TYPE_UINT64");
  const controls = [control("START", "START"), control("READY", "READY")];
  return onnxFiles(name, model, {
    maxBatchSize: 8,
    inputs: [{ name: "INPUT", dtype: "INT32", dims: [1] }],
    outputs: [{ name: "OUTPUT", dtype: "INT32", dims: [1] }],
    extra: `${onCpu} sequence_batching { ${batching}
${[...controls, ...(withId ? [control("END", "END"), id] : [])].join("\n")} }`,
  });
};

export const pythonFiles = (name: string, config: string, model: string): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}" backend: "python" ${onCpu}\n${config}`,
  [`${name}/1/model.py`]: `import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils


def read(request, name):
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy()


class TritonPythonModel:
${model}`,
});

const stringModel = pythonFiles(
  "simple_string",
  configText("simple_string", {
    maxBatchSize: 8,
    inputs: ports("BYTES", "INPUT", 16),
    outputs: ports("BYTES", "OUTPUT", 16),
  }).replace(/^name.*\n/, ""),
  `    def execute(self, requests):
        responses = []
        for request in requests:
            a, b = (np.vectorize(int)(read(request, name)) for name in ("INPUT0", "INPUT1"))
            outputs = [
                pb_utils.Tensor(name, np.vectorize(lambda number: str(number).encode(), otypes=[np.object_])(numbers))
                for name, numbers in (("OUTPUT0", a + b), ("OUTPUT1", a - b))
            ]
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses
`,
);

export const identityModel = (name: string, type: string, batch: number): Files =>
  pythonFiles(
    name,
    `max_batch_size: ${batch}
input { name: "INPUT0" data_type: ${type} dims: [ -1 ] }
output { name: "OUTPUT0" data_type: ${type} dims: [ -1 ] }
`,
    `    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", read(request, "INPUT0"))]) for request in requests
        ]
`,
  );

/** Sends a response for each value of `IN`, each after a delay, once `execute` has taken `WAIT` ms. */
const repeatModel = pythonFiles(
  "repeat_int32",
  `max_batch_size: 0
input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "DELAY" data_type: TYPE_UINT32 dims: [ -1 ] },
  { name: "WAIT" data_type: TYPE_UINT32 dims: [ 1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] } ]
model_transaction_policy { decoupled: true }
`,
  `    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for index, (value, delay) in enumerate(zip(read(request, "IN"), read(request, "DELAY"))):
                time.sleep(float(delay) / 1000)
                outputs = [
                    pb_utils.Tensor("OUT", np.array([value], np.int32)),
                    pb_utils.Tensor("IDX", np.array([index], np.uint32)),
                ]
                sender.send(pb_utils.InferenceResponse(outputs))
            time.sleep(float(read(request, "WAIT")[0]) / 1000)
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`,
);

const labels = ["cup", "car", "bird", "tree", "house"];

interface ImageModel {
  readonly format: "NCHW" | "NHWC";
  /** Pixels in a row and in a column. */
  readonly size: number;
  readonly batch: number;
  readonly input?: string;
  readonly output?: string;
}

/** Returns five probabilities for an image: the means of its channels times fixed weights. */
const imageModel = (
  name: string,
  { format, size, batch, input = "IMAGE", output = "PROBABILITIES" }: ImageModel,
): Files => {
  const first = format === "NCHW";
  const dims = first ? [3, size, size] : [size, size, 3];
  const rows = batch > 0 ? (["batch"] as const) : [];
  const [x, y] = [port(input, "FP32", ...rows, ...dims), port(output, "FP32", ...rows, 5)];
  const pixels = (first ? [1, 2] : [0, 1]).map((axis) => axis + rows.length);
  const weights = [0.5, -0.2, 0.1, 0.9, -0.4, -0.6, 0.3, 0.2, -0.1, 0.4, 0.1, 0.7, -0.3, -0.5, 0.6];
  const model = buildModel({ name, inputs: [x], outputs: [y] }, (b) => {
    const [means] = b.node("ReduceMean", [input], { axes: { ints: pixels }, keepdims: { int: 0 } });
    const [scaled] = b.node("Mul", [means, b.constant(tensorOf("FP32", [1], [0.02]))]);
    const [scores] = b.node("MatMul", [scaled, b.constant(tensorOf("FP32", [3, 5], weights))]);
    return { [output]: b.node("Softmax", [scores], { axis: { int: -1 } })[0] };
  });
  const files = onnxFiles(name, model, {
    maxBatchSize: batch,
    inputs: [{ name: input, dtype: "FP32", dims, extra: `format: FORMAT_${format}` }],
    outputs: [{ name: output, dtype: "FP32", dims: [5], extra: 'label_filename: "labels.txt"' }],
    extra: onCpu,
  });
  return { ...files, [`${name}/labels.txt`]: `${labels.join("\n")}\n` };
};

/** Converts a file to an image whose pixels are the file's bytes. */
const pixels = pythonFiles(
  "pixels",
  `max_batch_size: 4
input { name: "FILE" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "IMAGE" data_type: TYPE_FP32 dims: [ 32, 32, 3 ] }
`,
  `    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.images(read(request, "FILE"))]) for request in requests]

    def images(self, files):
        rows = [np.resize(np.frombuffer(file, np.uint8), (32, 32, 3)) for file in files.reshape(-1)]
        return pb_utils.Tensor("IMAGE", np.stack(rows).astype(np.float32))
`,
);

const imageEnsemble: Files = {
  "preprocess_inception_ensemble/config.pbtxt": `name: "preprocess_inception_ensemble" platform: "ensemble"
max_batch_size: 4
input { name: "INPUT" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "OUTPUT" data_type: TYPE_FP32 dims: [ 5 ] label_filename: "labels.txt" }
ensemble_scheduling {
  step { model_name: "pixels" model_version: -1 input_map { key: "FILE" value: "INPUT" }
    output_map { key: "IMAGE" value: "image" } }
  step { model_name: "images" model_version: -1 input_map { key: "IMAGE" value: "image" }
    output_map { key: "PROBABILITIES" value: "OUTPUT" } }
}
`,
  "preprocess_inception_ensemble/1/": "",
  "preprocess_inception_ensemble/labels.txt": `${labels.join("\n")}\n`,
};

/** Sums the values of a sequence. The last answer is the sum plus the sequence's id, which is a string. */
export const textSequence: Files = pythonFiles(
  "simple_string_dyna_sequence",
  `max_batch_size: 8
input { name: "INPUT" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ 1 ] }
sequence_batching { oldest { max_candidate_sequences: 8 }
${["START", "END"].map((kind) => control(kind, kind)).join("\n")}
${control("CORRID", "CORRID", "data_type: TYPE_STRING")} }
`,
  `    sums = {}

    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.sum(request)]) for request in requests]

    def sum(self, request):
        sequence = read(request, "CORRID").reshape(-1)[0]
        before = 0 if read(request, "START").any() else self.sums.get(sequence, 0)
        self.sums[sequence] = before + read(request, "INPUT")
        end = int(sequence) if read(request, "END").any() else 0
        return pb_utils.Tensor("OUTPUT", (self.sums[sequence] + end).astype(np.int32))
`,
);

/** The models that Triton's example programs use, with the same names and as small as possible. */
export const standIns = (): Files => ({
  ...sumAndDifference("simple", "INT32"),
  ...sumAndDifference("simple_int8", "INT8"),
  ...sumAndDifference("counted", "INT8"),
  ...stringModel,
  ...identityModel("simple_identity", "TYPE_STRING", 8),
  ...identityModel("custom_identity_int32", "TYPE_INT32", 8),
  // On a busy machine, more than the second by default passes between two requests of a sequence.
  ...sequenceModel("simple_sequence", "max_sequence_idle_microseconds: 5000000", false),
  ...sequenceModel(
    "simple_dyna_sequence",
    "oldest { max_candidate_sequences: 1024 } max_sequence_idle_microseconds: 60000000",
    true,
  ),
  ...repeatModel,
  ...imageModel("images", { format: "NHWC", size: 32, batch: 4 }),
  ...imageModel("densenet_onnx", { format: "NCHW", size: 224, batch: 0, input: "data_0", output: "fc6_1" }),
  ...pixels,
  ...imageEnsemble,
});

/** The given number of models, for programs that count them. `simple` auto-completes its configuration, so that a part can be replaced. */
export const countedStandIns = (count: number): Files => {
  const completing = pythonFiles(
    "simple",
    "max_batch_size: 8\n",
    `    @staticmethod
    def auto_complete_config(config):
        for side in (0, 1):
            config.add_input({"name": f"INPUT{side}", "data_type": "TYPE_INT32", "dims": [16]})
            config.add_output({"name": f"OUTPUT{side}", "data_type": "TYPE_INT32", "dims": [16]})
        return config

    def execute(self, requests):
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError("not for requests")) for _ in requests]
`,
  );
  const names = Array.from({ length: count - 1 }, (_, index) => `identity_${index}`);
  const others = names.map((name) => identityModel(name, "TYPE_STRING", 8));
  return Object.assign({}, completing, ...others) as Files;
};

/** A model that answers outside `execute`, as Triton's C++ backends `repeat` and `square` do. */
const answersLater = (name: string, config: string, answers: string): Files =>
  pythonFiles(
    name,
    `max_batch_size: 0
model_transaction_policy { decoupled: true }
${config}`,
    `    def execute(self, requests):
        for request in requests:
            given = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
            threading.Thread(target=self.answer, args=(request.get_response_sender(), given)).start()
            time.sleep(float(given.get("WAIT", [0])[0]) / 1000)

    def answer(self, sender, given):
        sizes = [list(given[name].shape) for name in ("IN", "DELAY") if name in given]
        if sizes[0] != sizes[-1]:
            error = f"expected IN and DELAY shape to match, got {sizes[0]} and {sizes[1]}"
            sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(error)))
        else:
            for outputs in self.answers(given):
                sender.send(pb_utils.InferenceResponse(outputs))
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

${answers}`,
  );

/** The models of Triton's tests of decoupled models: repeated and squared values, and a sum and a difference. */
export const decoupledStandIns = (): Files => ({
  ...answersLater(
    "repeat_int32",
    `input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "DELAY" data_type: TYPE_UINT32 dims: [ -1 ] },
  { name: "WAIT" data_type: TYPE_UINT32 dims: [ 1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] } ]
`,
    `    def answers(self, given):
        for index, (value, delay) in enumerate(zip(given["IN"], given["DELAY"])):
            time.sleep(float(delay) / 1000)
            yield [
                pb_utils.Tensor("OUT", np.array([value], np.int32)),
                pb_utils.Tensor("IDX", np.array([index], np.uint32)),
            ]
`,
  ),
  ...answersLater(
    "square_int32",
    `input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
`,
    `    def answers(self, given):
        for _ in range(given["IN"][0]):
            yield [pb_utils.Tensor("OUT", given["IN"])]
`,
  ),
  ...pythonFiles(
    "libtorch_nobatch_int32_int32_int32",
    `max_batch_size: 0
input [ { name: "INPUT0" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "INPUT1" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "OUTPUT__0" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "OUTPUT__1" data_type: TYPE_INT32 dims: [ 1 ] } ]
`,
    `    def execute(self, requests):
        return [pb_utils.InferenceResponse(self.outputs(request)) for request in requests]

    def outputs(self, request):
        a, b = read(request, "INPUT0"), read(request, "INPUT1")
        return [pb_utils.Tensor("OUTPUT__0", a - b), pb_utils.Tensor("OUTPUT__1", a + b)]
`,
  ),
});

/** A model with several inputs, for requests that are refused. */
export const threeInputs = (): Files =>
  pythonFiles(
    "onnx_zero_3_float32",
    [0, 1, 2]
      .map(
        (index) => `input { name: "INPUT${index}" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "OUTPUT${index}" data_type: TYPE_FP32 dims: [ -1 ] }
`,
      )
      .join("") + "max_batch_size: 8\n",
    `    def execute(self, requests):
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError("not for requests")) for _ in requests]
`,
  );
