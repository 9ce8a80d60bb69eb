"""A model with the tensors of a TensorRT-LLM model. It returns its settings, or words until the client disconnects."""

import json
import time
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    """Its two instances run in turn; they count in one file, a line for each request that was cancelled."""

    def initialize(self, args):
        self.cancelled = Path(args["model_repository"]) / "cancelled.txt"

    def execute(self, requests):
        for request in requests:
            given = {}
            for tensor in request.inputs():
                values = [value.decode() if isinstance(value, bytes) else value for value in tensor.as_numpy().ravel().tolist()]
                given[tensor.name()] = values if tensor.name() == "stop_words" else values[0]
            sender = request.get_response_sender()
            prompt = given["text_input"]
            if prompt == "how many left?":
                self.send(sender, str(self.cancelled.read_text().count("\n") if self.cancelled.exists() else 0), FINAL)
            elif prompt == "fail":
                self.send(sender, "so ", 0)
                error = pb_utils.TritonError("out of words")
                sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)
            elif prompt == "for ever":
                while not sender.is_cancelled():
                    self.send(sender, "word ", 0)
                    time.sleep(0.01)
                with self.cancelled.open("a") as file:
                    file.write("one\n")
                sender.send(flags=FINAL)
            else:
                self.send(sender, json.dumps(given, sort_keys=True), 0)
                sender.send(flags=FINAL)

    def send(self, sender, text, flags):
        tensors = [
            pb_utils.Tensor("text_output", np.array([text.encode()], np.object_)),
            pb_utils.Tensor("num_input_tokens", np.array([3], np.uint32)),
            pb_utils.Tensor("num_output_tokens", np.array([2], np.uint32)),
        ]
        sender.send(pb_utils.InferenceResponse(tensors), flags=flags)
