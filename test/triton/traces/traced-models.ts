import type { DType } from "@tritype/core";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { echoFiles } from "../echo-models.ts";

const ports = `max_batch_size: 4
input [ { name: "X" data_type: TYPE_FP32 dims: [ 2 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 2 ] } ]
`;
const prelude = `
import time

import numpy as np
import triton_python_backend_utils as pb_utils


def number_of(request):
    return pb_utils.get_input_tensor_by_name(request, "X").as_numpy()


def doubled(x):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x * 2)])

`;

/** Doubles its input. 13 is an error, 14 raises, 15 takes half a second. */
const plain = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(number_of(request)) for request in requests]

    def answer(self, x):
        if x.flat[0] == 13:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("unlucky"))
        if x.flat[0] == 14:
            raise ValueError("boom")
        if x.flat[0] == 15:
            time.sleep(0.5)
        return doubled(x)
`;

/** Calls `plain` and `ensemble`, and `decoupled` for 77. Passes its trace on except for 99. */
const calling = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "X")
        first = x.as_numpy().flat[0]
        options = {} if first == 99 else {"trace": request.trace()}
        if first == 77:
            call = pb_utils.InferenceRequest(
                model_name="decoupled", inputs=[pb_utils.Tensor("X", np.array([[2, 1]], np.float32))], requested_output_names=["Y"], **options
            )
            list(call.exec(decoupled=True))
            return doubled(x.as_numpy())
        for model in ("plain", "ensemble"):
            call = pb_utils.InferenceRequest(model_name=model, inputs=[x], requested_output_names=["Y"], **options)
            answer = call.exec()
        if answer.has_error():
            return pb_utils.InferenceResponse(error=answer.error())
        return pb_utils.InferenceResponse(answer.output_tensors())
`;

/** Sends as many responses as its input says. */
const decoupled = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            x = number_of(request)
            for i in range(int(x.flat[0])):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", x + i)]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;

/** Runs a request as many times as its input says. The first time takes 0.3 seconds. */
const iterative = `${prelude}
class TritonPythonModel:
    def initialize(self, args):
        self.turns = {}

    def execute(self, requests):
        return [self.turn(request) for request in requests]

    def turn(self, request):
        key = request.correlation_id()
        x = number_of(request)
        self.turns[key] = self.turns.get(key, 0) + 1
        if self.turns[key] == 1 and x.flat[0] > 0:
            time.sleep(0.3)
        if self.turns[key] < x.flat[0]:
            request.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)
            return None
        del self.turns[key]
        return doubled(x)
`;

/** Returns the context of its trace. */
const context = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        texts = [str(request.trace().get_context()).encode() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("CONTEXT", np.array([text], object))]) for text in texts]
`;

const python = (name: string, code: string, more = ""): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}"\nbackend: "python"\n${ports}instance_group [ { kind: KIND_CPU } ]\n${more}`,
  [`${name}/1/model.py`]: code,
});
const ensemble = (name: string, ...steps: readonly string[]): Files => {
  const tensors = ["X", ...steps.slice(1).map((_, i) => `T${i}`), "Y"];
  const printed = steps.map(
    (model, i) =>
      `{ model_name: "${model}" model_version: -1 input_map { key: "X" value: "${tensors[i]}" } output_map { key: "Y" value: "${tensors[i + 1]}" } }`,
  );
  return {
    [`${name}/config.pbtxt`]: `name: "${name}"\nplatform: "ensemble"\n${ports}ensemble_scheduling { step [ ${printed.join(", ")} ] }\n`,
    [`${name}/1/`]: "",
  };
};

/** The dtypes whose tensors are printed as in Triton. */
export const printedDtypes = [
  "BOOL",
  "UINT16",
  "INT16",
  "UINT32",
  "INT32",
  "UINT64",
  "INT64",
  "FP16",
  "FP32",
  "FP64",
  "BYTES",
] as const satisfies readonly DType[];

export const tracedModels = (): Files => ({
  ...python("plain", plain),
  ...python("batched", plain, "dynamic_batching { }\n"),
  ...python("cached", plain, "response_cache { enable: true }\n"),
  ...python("sequence", plain, "sequence_batching { }\n"),
  ...python(
    "iterative",
    iterative,
    "sequence_batching { iterative_sequence: true max_sequence_idle_microseconds: 60000000 }\n",
  ),
  ...python(
    "late",
    plain,
    "dynamic_batching { default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 100000 } }\n",
  ),
  ...python("full", plain, "dynamic_batching { default_queue_policy { max_queue_size: 1 } }\n"),
  ...python("calling", calling),
  ...python("decoupled", decoupled, "model_transaction_policy { decoupled: true }\n"),
  ...ensemble("ensemble", "plain", "batched"),
  ...ensemble("nested", "ensemble", "plain"),
  ...ensemble("of_decoupled", "decoupled", "plain"),
  ...ensemble("of_calling", "calling"),
  ...ensemble("of_cached", "cached"),
  ...ensemble("of_iterative", "iterative"),
  "context/config.pbtxt": `name: "context"
backend: "python"
max_batch_size: 0
input [ { name: "X" data_type: TYPE_FP32 dims: [ 2 ] } ]
output [ { name: "CONTEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
`,
  "context/1/model.py": context,
  ...Object.assign({}, ...printedDtypes.map(echoFiles)),
});
