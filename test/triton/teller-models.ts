import { configText, ensembleFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/**
 * A decoupled model that follows the commands in its request: `say x` (a response), `many 3` (a response of three
 * elements), `repeat 3` (three responses), `fail x` (an error), `last x` (a response with the final flag), `wait 5`
 * (milliseconds), `hold x` (while the file x exists), `end` (only the end marker), `raise x`. If no response is marked as the last one, an end marker
 * follows.
 */
const teller = `
import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            self.tell(request.get_response_sender(), request)

    def tell(self, sender, request):
        script = pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()
        for line in script.reshape(-1):
            word, _, rest = line.decode().partition(" ")
            if word == "say":
                sender.send(self.response([rest]))
            elif word == "many":
                sender.send(self.response([str(i) for i in range(int(rest))]))
            elif word == "repeat":
                for i in range(int(rest)):
                    sender.send(self.response([str(i)]))
            elif word == "fail":
                sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(rest, pb_utils.TritonError.NOT_FOUND)))
            elif word == "last":
                sender.send(self.response([rest]), flags=FINAL)
                return
            elif word == "wait":
                time.sleep(int(rest) / 1000)
            elif word == "hold":
                while os.path.exists(rest):
                    time.sleep(0.005)
            elif word == "end":
                sender.send(flags=FINAL)
                return
            elif word == "raise":
                raise ValueError(rest)
        sender.send(flags=FINAL)

    def response(self, texts):
        tensor = pb_utils.Tensor("TEXT", np.array([text.encode() for text in texts], dtype=np.object_))
        return pb_utils.InferenceResponse([tensor])
`;

/** Returns the request's parameters and inputs as JSON in `SEEN`, and outputs whose names the generate extension uses itself. */
const asked = `
import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        inputs = {tensor.name(): [list(tensor.as_numpy().shape), str(tensor.as_numpy().tolist())] for tensor in request.inputs()}
        seen = json.dumps([json.loads(request.parameters()), inputs], sort_keys=True)
        texts = {"SEEN": seen, "id": "mine", "model_name": "mine", "zz": "last"}
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor(name, np.array([text.encode()], dtype=np.object_)) for name, text in texts.items()]
        )
`;

/** Returns two tensors of one name. */
const twice = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        texts = [pb_utils.Tensor("TEXT", np.array([text], dtype=np.object_)) for text in ("first", "second")]
        return [pb_utils.InferenceResponse(texts) for _ in requests]
`;

const text = (name: string, extra = "") => ({ name, dtype: "BYTES", dims: [-1], extra }) as const;
const told = { inputs: [text("ASK")], outputs: [text("TEXT")] };

/** Models for requests with flat JSON and for streams. */
export const tellerModels = (): Files => ({
  "teller/config.pbtxt": `backend: "python"\n${configText("teller", {
    ...told,
    extra: "model_transaction_policy { decoupled: true }",
  })}`,
  "teller/1/model.py": teller,
  ...ensembleFiles("told", told, "teller: ASK=ASK TEXT=TEXT"),
  "twice/config.pbtxt": `backend: "python"\n${configText("twice", told)}`,
  "twice/1/model.py": twice,
  ...ensembleFiles("twice_inside", told, "twice: ASK=ASK TEXT=TEXT"),
  "asked/config.pbtxt": `backend: "python"\n${configText("asked", {
    inputs: [
      text("X", "optional: true"),
      { name: "A", dtype: "INT64", dims: [2, -1, -1], extra: "optional: true" },
      { name: "B", dtype: "UINT8", dims: [2, 3], extra: "optional: true" },
      { name: "Z", dtype: "FP64", dims: [1], extra: "optional: true" },
      { name: "id", dtype: "BYTES", dims: [1], extra: "optional: true" },
    ],
    outputs: ["SEEN", "id", "model_name", "zz"].map((name) => ({ name, dtype: "BYTES", dims: [1] }) as const),
  })}`,
  "asked/1/model.py": asked,
  "keyword/config.pbtxt": `backend: "python"\n${configText("keyword", {
    inputs: [text("parameters")],
    outputs: [text("SEEN")],
  })}`,
  "keyword/1/model.py": asked,
});
