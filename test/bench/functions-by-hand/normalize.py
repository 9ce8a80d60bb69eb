"""Converts an image's bytes to normalized channels with NumPy, written by hand."""

import numpy as np
import triton_python_backend_utils as pb_utils

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
SPREAD = np.array([0.229, 0.224, 0.225], np.float32)


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            pixels = pb_utils.get_input_tensor_by_name(request, "pixels").as_numpy()
            values = (pixels.astype(np.float32) / np.float32(255) - MEAN) / SPREAD
            planes = np.ascontiguousarray(values.transpose(0, 3, 1, 2))
            return pb_utils.InferenceResponse([pb_utils.Tensor("planes", planes)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
