import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        matrix = np.arange(12, dtype=np.int32).reshape(3, 4)
        outputs = [pb_utils.Tensor("A", matrix[:, ::2]), pb_utils.Tensor("B", matrix.T), pb_utils.Tensor("C", matrix[::-1])]
        return [pb_utils.InferenceResponse(outputs) for _ in requests]
