import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        wide = pb_utils.Tensor("Y", np.array([[1, 2]], np.int64))
        undeclared = pb_utils.Tensor("NOBODY", np.array([1], np.int32))
        return [pb_utils.InferenceResponse([undeclared, wide]) for _ in requests]
