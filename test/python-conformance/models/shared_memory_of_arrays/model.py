import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        array = np.zeros(3, np.int32)
        tensor = pb_utils.Tensor("Y", array)
        array[1] = 5
        tensor.as_numpy()[2] = 6
        return [pb_utils.InferenceResponse([tensor]) for _ in requests]
