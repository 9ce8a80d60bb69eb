import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { port } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/** `Y` reports what the model received in the execution: the id, flags and inputs of every row. `X`: its duration in ms. */
const teller = `
import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils


def shown(tensor):
    values = tensor.as_numpy()
    return [str(values.dtype), list(values.shape), [v.decode() if isinstance(v, bytes) else v.item() for v in values.reshape(-1)]]


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.batched = config["max_batch_size"] > 0
        self.instance = args["model_instance_name"]

    def execute(self, requests):
        rows = []
        pause = 0
        for request in requests:
            inputs = {tensor.name(): shown(tensor) for tensor in request.inputs()}
            sequence = request.correlation_id()
            if sequence == 0:
                for name in {"X", "S"} & set(inputs):
                    inputs[name] = "an empty row: anything"
            else:
                pause = max(pause, inputs["X"][2][0])
            rows.append(
                {
                    "id": request.request_id(),
                    "sequence": sequence,
                    "flags": request.flags(),
                    "outputs": sorted(request.requested_output_names()),
                    "inputs": dict(sorted(inputs.items())),
                }
            )
        if pause < 0:
            raise ValueError(f"no answer of {self.instance}")
        time.sleep(pause / 1000)
        return [self.answer(index, rows) for index in range(len(requests))]

    def answer(self, index, rows):
        told = json.dumps({"row": index, "instance": self.instance, "rows": rows})
        text = np.array([told.encode()], dtype=np.object_)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", text.reshape(1, 1) if self.batched else text)])
`;

/** A model that does the same with two responses to each request, including those of empty rows. */
const streamer = teller.replace(
  "return [self.answer(index, rows) for index in range(len(requests))]",
  `for index, request in enumerate(requests):
            sender = request.get_response_sender()
            sender.send(self.answer(index, rows))
            sender.send(self.answer(index, rows))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)`,
);

/** A model that also returns a new value for the state `S`. */
const returner = teller.replace(
  "return pb_utils.InferenceResponse([",
  'return pb_utils.InferenceResponse([pb_utils.Tensor("T", np.array([[7, 8]], dtype=np.int32)), ',
);

const caller = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            asked = pb_utils.InferenceRequest(
                model_name="direct",
                requested_output_names=["Y"],
                inputs=[pb_utils.get_input_tensor_by_name(request, "X")],
                correlation_id=request.correlation_id(),
                flags=request.flags(),
            )
            answer = asked.exec()
            if answer.has_error():
                responses.append(pb_utils.InferenceResponse(error=answer.error()))
            else:
                responses.append(pb_utils.InferenceResponse(answer.output_tensors()))
        return responses
`;

const controls = (values: string, id: string): string =>
  `${["START", "READY", "END"]
    .map((kind) => `control_input { name: "${kind}" control { kind: CONTROL_SEQUENCE_${kind} ${values} } }`)
    .join("\n")}
  control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: ${id} } }`;

const config = (batch: number, batching: string, dims = "1", more = "count: 1"): string => `
max_batch_size: ${batch}
input { name: "X" data_type: TYPE_INT32 dims: [ ${dims} ] }
output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
instance_group { kind: KIND_CPU ${more} }
${batching}`;
const sequences = (text: string, idle = 60_000_000): string =>
  `sequence_batching { max_sequence_idle_microseconds: ${idle}\n${text} }`;

const ints = "int32_false_true: [ 10, 11 ]";
const floats = "fp32_false_true: [ 0.5, 1.5 ]";
const bools = "bool_false_true: [ true, false ]";
const state = `state { input_name: "S" output_name: "T" data_type: TYPE_INT32 dims: [ 2 ]
  initial_state { name: "two" data_type: TYPE_INT32 dims: [ 2 ] data_file: "two" } }`;

const configs: Readonly<Record<string, string>> = {
  direct: config(4, sequences(`direct { }\n${controls(ints, "TYPE_UINT64")}`)),
  crowded_direct: config(4, sequences(`direct { }\n${controls(ints, "TYPE_UINT64")}`)),
  oldest: config(4, sequences(`oldest { max_candidate_sequences: 3 }\n${controls(floats, "TYPE_INT32")}`)),
  crowded: config(4, sequences(`oldest { max_candidate_sequences: 3 }\n${controls(floats, "TYPE_INT32")}`)),
  unbatched: config(0, sequences(controls(bools, "TYPE_INT64"))),
  texts: config(2, sequences(controls(bools, "TYPE_STRING"))),
  narrow: config(2, sequences(controls(ints, "TYPE_UINT32"))),
  bare: config(2, sequences("")),
  variable: config(4, sequences(controls(ints, "TYPE_UINT64")), "-1"),
  waiting: config(
    4,
    sequences("direct { max_queue_delay_microseconds: 2000000 minimum_slot_utilization: 0.5 }"),
  ),
  preferring: config(
    8,
    sequences(
      "oldest { max_candidate_sequences: 8 preferred_batch_size: [ 2 ] max_queue_delay_microseconds: 400000 }",
    ),
  ),
  idle: config(1, sequences(controls(ints, "TYPE_UINT64"), 1_000_000)),
  pair: config(1, sequences(""), "1", "count: 2"),
  state: config(2, sequences(`${controls(ints, "TYPE_UINT64")}\n${state}`)),
};

/** An ONNX model whose `Y` contains `X` and the controls as the digits of one number. */
const graph = (): Uint8Array => {
  const row = (name: string, dtype: "INT32" | "UINT64" | "INT64" = "INT32") => port(name, dtype, "batch", 1);
  const inputs = [row("X"), row("START"), row("READY"), row("END"), row("ID", "UINT64")];
  return buildModel({ name: "graph", inputs, outputs: [row("Y", "INT64")] }, (builder) => {
    const number = (value: number): string => builder.constant(tensorOf("INT64", [1], [value]));
    const [first = "", ...rest] = inputs.map(
      ({ name }) => builder.node("Cast", [name], { to: { int: 7 } })[0],
    );
    const add = (sum: string, digits: string): string =>
      builder.node("Add", [builder.node("Mul", [sum, number(100)])[0], digits])[0];
    return { Y: rest.reduce(add, first) };
  });
};
const graphConfig = (batching: string): string =>
  config(4, sequences(`${batching}\n${controls(ints, "TYPE_UINT64")}`)).replace("TYPE_STRING", "TYPE_INT64");

/** An ONNX model with a state: its answer is twice the last one, plus `X` and one. */
const doubler = (): Uint8Array => {
  const [x, s] = [port("X", "INT32", "batch", 1), port("S", "INT32", "batch", 1)];
  const outputs = [port("Y", "INT32", "batch", 1), port("T", "INT32", "batch", 1)];
  return buildModel({ name: "doubler", inputs: [x, s], outputs }, (builder) => {
    const more = builder.node("Add", ["X", builder.constant(tensorOf("INT32", [1], [1]))])[0];
    const last = builder.node("Add", ["S", "S"])[0];
    return { Y: builder.node("Add", [last, more])[0], T: builder.node("Add", [more, last])[0] };
  });
};
const doublerConfig = (batching: string): string =>
  config(4, sequences(`${batching}\n${state.replaceAll("[ 2 ]", "[ 1 ]")}`)).replace(
    "TYPE_STRING",
    "TYPE_INT32",
  );

export const sequenceModels = (): Files => ({
  ...Object.fromEntries(
    Object.entries(configs).flatMap(([name, text]) => [
      [`${name}/config.pbtxt`, `name: "${name}" backend: "python"\n${text}`],
      [`${name}/1/model.py`, teller],
    ]),
  ),
  ...Object.fromEntries(
    (["direct", "oldest"] as const).flatMap((name) => [
      [
        `${name}_stream/config.pbtxt`,
        `name: "${name}_stream" backend: "python"\n${configs[name]}\nmodel_transaction_policy { decoupled: true }`,
      ],
      [`${name}_stream/1/model.py`, streamer],
    ]),
  ),
  "graph/config.pbtxt": `name: "graph" backend: "onnxruntime"\n${graphConfig("direct { }")}`,
  "graph/1/model.onnx": graph(),
  "oldest_graph/config.pbtxt": `name: "oldest_graph" backend: "onnxruntime"\n${graphConfig("oldest { max_candidate_sequences: 3 }")}`,
  "oldest_graph/1/model.onnx": graph(),
  ...Object.fromEntries(
    Object.entries({ direct: "direct { }", oldest: "oldest { max_candidate_sequences: 3 }" }).flatMap(
      ([name, batching]) => [
        [
          `${name}_doubler/config.pbtxt`,
          `name: "${name}_doubler" backend: "onnxruntime"\n${doublerConfig(batching)}`,
        ],
        [`${name}_doubler/1/model.onnx`, doubler()],
        [`${name}_doubler/initial_state/two`, new Uint8Array(new Int32Array([3]).buffer)],
      ],
    ),
  ),
  ...Object.fromEntries(
    ["state", "returned", "returned_output"].map((name) => [
      `${name}/initial_state/two`,
      new Uint8Array(new Int32Array([3, 4]).buffer),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      returned: "",
      returned_output: 'output { name: "T" data_type: TYPE_INT32 dims: [ 2 ] }',
    }).flatMap(([name, output]) => [
      [
        `${name}/config.pbtxt`,
        `name: "${name}" backend: "python"\n${config(2, sequences(state))}\n${output}`,
      ],
      [`${name}/1/model.py`, returner],
    ]),
  ),
  "caller/config.pbtxt": `name: "caller" backend: "python"\n${config(4, "")}`,
  "caller/1/model.py": caller,
  "around/config.pbtxt": `name: "around" platform: "ensemble" max_batch_size: 4
    input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
    output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
    ensemble_scheduling { step { model_name: "direct" model_version: -1
      input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } }`,
  "around/1/": "",
});
