"""Returns a text unchanged, written by hand."""

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            values = [text.decode() for text in texts.reshape(-1)]
            answers = np.array([text.encode() for text in values], object).reshape(-1, 1)
            return pb_utils.InferenceResponse([pb_utils.Tensor("text", answers)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
