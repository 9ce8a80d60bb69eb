import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        values = np.array([b"bytes", "t\u00e9xt", 7, None, 1.5, b"", np.bytes_(b"n")], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", values)]) for _ in requests]
