import type { Dim, DType } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** A pipeline with a nested ensemble and samples. */
export const pipeline = `import { bytes, defineEnsemble, flow, fp32, json, step } from "tritype";

// Doubles its numbers.
export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ scaled: x.mul(2) }),
});

/** Numbers → scores, see {@link scale}. <img src=x onerror="document.title=1"> @returns nothing */
export const scores = defineEnsemble({
  name: "scores",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { scaled } = scale({ x });
    return { scores: scaled.softmax(-1) };
  },
  warmup: [{ name: "rising", inputs: { x: [[1, 2, 3, 4]] } }],
});

interface Order {
  customer: string;
  items: { name: string; count: number; size?: "small" | "large" }[];
}

const total = step({
  name: "total",
  inputs: { order: json<Order>() },
  outputs: { text: bytes("batch", 1) },
  run: ({ order }) => ({ text: order.items.map(({ name, count }) => count + " " + name).join(", ") }),
});

/**
 * Greets the customer.
 * @internal
 */
const greeting = step({
  name: "greeting",
  engine: "node",
  inputs: { order: json<Order>() },
  outputs: { text: bytes("batch", 1) },
  run: ({ order }) => ({ text: "Dear " + order.customer }),
});

export const orders = defineEnsemble({
  name: "orders",
  maxBatchSize: 8,
  inputs: { order: json<Order>() },
  run: ({ order }) => ({ text: total({ order }).text }),
});

export const letters = defineEnsemble({
  name: "letters",
  maxBatchSize: 8,
  inputs: { order: json<Order>() },
  run: ({ order }) => ({ text: greeting({ order }).text }),
});

export const checkout = flow({
  name: "checkout",
  maxBatchSize: 8,
  uses: { total },
  inputs: { order: json<Order>() },
  outputs: { text: bytes("batch", 1) },
  run: async ({ order }, callees) => ({ text: (await callees.total({ order })).text }),
});
`;

/** A text that would become an element if the page treated it as markup. */
export const markup = '<img src=x onerror="document.title=1">';

const unary = (operator: string, input: string, dtype: DType, ...dims: readonly Dim[]): Uint8Array =>
  buildModel(
    {
      name: operator,
      inputs: [{ name: input, type: { dtype, dims } }],
      outputs: [{ name: "Y", type: { dtype, dims } }],
    },
    (b) => ({ Y: b.node(operator, [input])[0] }),
  );

const port = (name: string, type = "FP32", dims = "-1"): string =>
  `{ name: ${JSON.stringify(name)} data_type: TYPE_${type} dims: [ ${dims} ] }`;

const onnx = (input: string): string => `backend: "onnxruntime"\ninput ${port(input)}\noutput ${port("Y")}\n`;

const ensemble = (inputs: string, output: string, steps: readonly string[]): string =>
  `platform: "ensemble"\ninput ${inputs}\noutput ${output}\nensemble_scheduling { step [\n${steps.join(",\n")}\n] }\n`;

const step = (model: string, from: string, to: string): string =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${to}" } }`;

/** A `model.py` with one text input and one text output. */
const python = (body: string): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
${body}
`;

const echo = `"""Sends back what it got."""
${python(`        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor("Y", pb_utils.get_input_tensor_by_name(request, "X").as_numpy())]
            )
            for request in requests
        ]`)}`;

const asks = python(`        request = pb_utils.InferenceRequest(
            model_name="echo",
            requested_output_names=["Y"],
            inputs=[pb_utils.get_input_tensor_by_name(requests[0], "X")],
        )
        return [pb_utils.InferenceResponse([request.exec().output_tensors()[0]])]`);

const pieces = python(`        for request in requests:
            sender = request.get_response_sender()
            text = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()[0].decode()
            for word in text.split(" "):
                if word == "unknown":
                    sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError("no such word")))
                    continue
                piece = np.array([(word + " ").encode()], np.object_)
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", piece)]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None`);

/** Counts to a number, slowly. */
const counting = python(`        import time

        for request in requests:
            sender = request.get_response_sender()
            for number in range(pb_utils.get_input_tensor_by_name(request, "X").as_numpy()[0]):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([number + 1], np.int32))]))
                time.sleep(0.02)
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None`);

/** The sum of the numbers of a sequence so far. For slots without a request, Triton sends requests of sequence 0. */
const tally = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.totals = {}

    def execute(self, requests):
        responses = []
        for request in requests:
            sequence = request.correlation_id()
            starts = pb_utils.get_input_tensor_by_name(request, "START").as_numpy().any()
            number = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
            self.totals[sequence] = number if starts else self.totals.get(sequence, 0) + number
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("Y", self.totals[sequence])]))
        return responses
`;
const sequences = `max_batch_size: 4
sequence_batching {
  max_sequence_idle_microseconds: 60000000
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }
}
`;
const texts = sequences.replace(
  "\n}",
  '\n  control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } }\n}',
);

const steps = 200;

/** Models written by hand, for the repository of the build. */
const byHand = (): Readonly<Record<string, string | Uint8Array>> => ({
  "same/config.pbtxt": onnx("X"),
  "same/1/model.onnx": unary("Identity", "X", "FP32", -1),
  "log/config.pbtxt": onnx("X"),
  "log/1/model.onnx": unary("Log", "X", "FP32", -1),
  "hostile/config.pbtxt": onnx(markup),
  "hostile/1/model.onnx": unary("Identity", markup, "FP32", -1),
  "broken/config.pbtxt": onnx("X").replace("TYPE_FP32", "TYPE_INT64"),
  "broken/1/model.onnx": unary("Identity", "X", "FP32", -1),
  "logs/config.pbtxt": ensemble(port("IN"), port("OUT"), [
    step("same", "IN", "mid"),
    step("log", "mid", "OUT"),
  ]),
  "logs/1/.keep": "",
  "long/config.pbtxt": ensemble(
    port("t0"),
    port(`t${steps}`),
    Array.from({ length: steps }, (_, i) => step("same", `t${i}`, `t${i + 1}`)),
  ),
  "long/1/.keep": "",
  "echo/config.pbtxt": `backend: "python"\ninput ${port("X", "STRING", "1")}\noutput ${port("Y", "STRING", "1")}\n`,
  "echo/1/model.py": echo,
  "asks/config.pbtxt": `backend: "python"\ninput ${port("X", "STRING", "1")}\noutput ${port("Y", "STRING", "1")}\n`,
  "asks/1/model.py": asks,
  "words/config.pbtxt": `backend: "python"\ninput ${port("X", "STRING", "1")}\noutput ${port("Y", "STRING", "1")}\nmodel_transaction_policy { decoupled: true }\n`,
  "words/1/model.py": pieces,
  "spoken/config.pbtxt": `${ensemble(port("IN", "STRING", "1"), port("OUT", "STRING", "1"), [
    step("words", "IN", "mid"),
    step("echo", "mid", "OUT"),
  ])}model_transaction_policy { decoupled: true }\n`,
  "spoken/1/.keep": "",
  "tally/config.pbtxt": `backend: "python"\ninput ${port("X", "INT32", "1")}\noutput ${port("Y", "INT32", "1")}\n${sequences}`,
  "tally/1/model.py": tally,
  "wards/config.pbtxt": `backend: "python"\ninput ${port("X", "INT32", "1")}\noutput ${port("Y", "INT32", "1")}\n${texts}`,
  "wards/1/model.py": tally,
  "counting/config.pbtxt": `backend: "python"\ninput ${port("X", "INT32", "1")}\noutput ${port("Y", "INT32", "1")}\nmodel_transaction_policy { decoupled: true }\n`,
  "counting/1/model.py": counting,
  "tallied/config.pbtxt": `max_batch_size: 4\n${ensemble(port("IN", "INT32", "1"), port("OUT", "INT32", "1"), [step("tally", "IN", "OUT")])}`,
  "tallied/1/.keep": "",
});

/** A project whose repository also contains models written by hand. */
export const inspectedProject = (): ProjectFixture =>
  makeProject({
    "pipeline.ts": pipeline,
    ...Object.fromEntries(
      Object.entries(byHand()).map(([path, content]) => [`build/model_repository/${path}`, content]),
    ),
  });

/** The bytes of an image: one red pixel. */
export const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
