"""Text cleaning, written by hand."""

import re

import numpy as np
import triton_python_backend_utils as pb_utils

SPACES = re.compile(r"\s+")


class TritonPythonModel:
    def initialize(self, args):
        pass

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            cleaned = [self.clean(text.decode()) for text in texts.reshape(-1)]
            values = np.array([text.encode() for text in cleaned], object).reshape(-1, 1)
            return pb_utils.InferenceResponse([pb_utils.Tensor("text", values)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))

    def clean(self, text):
        short = SPACES.sub(" ", text).strip().lower()
        if short == "":
            raise ValueError("the text is empty")
        return f"query: {short[:200]}"
