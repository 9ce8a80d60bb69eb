import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

from count import share_of


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.threshold = float(parameters["threshold"]["string_value"])
        self.blocked = set(Path(__file__).with_name("words.txt").read_text().split())

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
        words = [text.decode("utf-8").split() for text in texts.reshape(-1)]
        shares = np.array([[share_of(row, self.blocked)] for row in words], np.float32)
        return pb_utils.InferenceResponse(
            output_tensors=[
                pb_utils.Tensor("share", shares.reshape(-1, 1)),
                pb_utils.Tensor("flagged", shares.reshape(-1, 1) > self.threshold),
            ]
        )
