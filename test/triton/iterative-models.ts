import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/** Ways in which a model ends or fails. In every other mode it reschedules a request until all of its turns have run. */
export const modes = {
  good: 0,
  /** The second execution raises. */
  raises: 1,
  /** The second execution raises after it has rescheduled. */
  raisesLate: 2,
  /** The second execution returns or sends an error, and reschedules. */
  errs: 3,
  /** Each execution reschedules and also returns a response. */
  answersTwice: 4,
  /** All responses go through the sender of the first execution. */
  keepsSender: 5,
  /** The last execution sends no final message. */
  forgets: 6,
  /** The release flags contain unknown bits. */
  otherFlags: 7,
} as const;

/**
 * `X` is [turns, mode, milliseconds of an execution]. `Y` reports what the model received: each turn's row and its position
 * in the batch. A decoupled model responds in each turn, other models in the last one.
 */
const teller = `
import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils

GOOD, RAISES, RAISES_LATE, ERRS, ANSWERS_TWICE, KEEPS_SENDER, FORGETS, OTHER_FLAGS = range(8)
RESCHEDULE = pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE


def shown(tensor):
    values = tensor.as_numpy()
    return [str(values.dtype), list(values.shape), values.reshape(-1).tolist()]


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.batched = config["max_batch_size"] > 0
        self.decoupled = config.get("model_transaction_policy", {}).get("decoupled", False)
        self.seen = {}
        self.senders = {}

    def execute(self, requests):
        responses = [self.turn(row, request) for row, request in enumerate(requests)]
        return None if self.decoupled else responses

    def turn(self, row, request):
        if request.correlation_id() == 0 and request.request_id() == "":
            return self.empty(request)
        turns, mode, pause = pb_utils.get_input_tensor_by_name(request, "X").as_numpy().reshape(-1)[:3].tolist()
        key = (request.request_id(), request.correlation_id())
        seen = self.seen.setdefault(key, [])
        inputs = {tensor.name(): shown(tensor) for tensor in request.inputs()}
        seen.append({"row": row, "sequence": key[1], "flags": request.flags(), "inputs": dict(sorted(inputs.items()))})
        time.sleep(pause / 1000)
        turn, last = len(seen), len(seen) >= turns
        if mode == RAISES and turn == 2:
            raise ValueError("no second turn")
        if not last:
            request.set_release_flags(RESCHEDULE | 1 if mode == OTHER_FLAGS else RESCHEDULE)
        if mode == RAISES_LATE and turn == 2:
            raise ValueError("no third turn")
        if last:
            del self.seen[key]
        if self.decoupled:
            sender = request.get_response_sender()
            if mode == KEEPS_SENDER:
                sender = self.senders.setdefault(key, sender)
            sender.send(self.error() if mode == ERRS and turn == 2 else self.answer(seen[-1]))
            if last and mode != FORGETS:
                sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
            return None
        if mode == ERRS and turn == 2:
            return self.error()
        return self.answer(seen) if last or mode == ANSWERS_TWICE else None

    def empty(self, request):
        if not self.decoupled:
            return self.answer("empty")
        request.get_response_sender().send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def error(self):
        return pb_utils.InferenceResponse(error=pb_utils.TritonError("an error of its own"))

    def answer(self, told):
        text = np.array([json.dumps(told).encode()], dtype=np.object_)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", text.reshape(1, 1) if self.batched else text)])
`;

const controls = (id: string): string =>
  `${["START", "READY", "END"]
    .map(
      (kind) =>
        `control_input { name: "${kind}" control { kind: CONTROL_SEQUENCE_${kind} int32_false_true: [ 10, 11 ] } }`,
    )
    .join("\n")}
  control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: ${id} } }`;

const state = `state { input_name: "S" output_name: "T" data_type: TYPE_INT32 dims: [ 2 ]
  initial_state { name: "two" data_type: TYPE_INT32 dims: [ 2 ] data_file: "two" } }`;

const iterative = (text: string, idle = 60_000_000): string =>
  `sequence_batching { iterative_sequence: true max_sequence_idle_microseconds: ${idle} ${text} }`;

const schedulers: Readonly<Record<string, readonly [batch: number, text: string]>> = {
  oldest: [4, iterative(`oldest { max_candidate_sequences: 2 } ${controls("TYPE_UINT64")}`)],
  direct: [4, iterative(`direct { } ${controls("TYPE_INT32")}`)],
  unbatched: [0, iterative(controls("TYPE_INT64"))],
  alone: [4, iterative("oldest { max_candidate_sequences: 1 }")],
  impatient: [4, iterative("oldest { max_candidate_sequences: 1 }", 1_000_000)],
  state: [4, iterative(`oldest { max_candidate_sequences: 2 } ${controls("TYPE_UINT32")} ${state}`)],
  regular: [4, "sequence_batching { direct { } }"],
  plain: [4, ""],
};

const config = ([batch, scheduler]: readonly [number, string], more = ""): string => `
backend: "python"
max_batch_size: ${batch}
input { name: "X" data_type: TYPE_INT32 dims: [ 3 ] }
output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
instance_group { kind: KIND_CPU count: 1 }
${scheduler}
${more}`;

/** A model `<name>` and a decoupled model `<name>_stream` for each scheduler, and ensembles of both kinds. */
export const iterativeModels = (): Files => ({
  ...Object.fromEntries(
    Object.entries(schedulers).flatMap(([name, scheduler]) => [
      [`${name}/config.pbtxt`, config(scheduler)],
      [`${name}/1/model.py`, teller],
      [`${name}_stream/config.pbtxt`, config(scheduler, "model_transaction_policy { decoupled: true }")],
      [`${name}_stream/1/model.py`, teller],
    ]),
  ),
  ...Object.fromEntries(
    ["oldest", "oldest_stream"].flatMap((name) => [
      [
        `around_${name}/config.pbtxt`,
        `platform: "ensemble" max_batch_size: 4
        input { name: "X" data_type: TYPE_INT32 dims: [ 3 ] }
        output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
        ensemble_scheduling { step { model_name: "${name}" model_version: -1
          input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } }`,
      ],
      [`around_${name}/1/`, ""],
    ]),
  ),
  ...Object.fromEntries(
    ["state", "state_stream"].map((name) => [
      `${name}/initial_state/two`,
      new Uint8Array(new Int32Array([3, 4]).buffer),
    ]),
  ),
});
