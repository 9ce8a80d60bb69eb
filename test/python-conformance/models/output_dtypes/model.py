import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        outputs = [
            pb_utils.Tensor("BOOL", np.array([True, False])),
            pb_utils.Tensor("INT8", np.array([-1, 2], np.int8)),
            pb_utils.Tensor("UINT64", np.array([2**64 - 1], np.uint64)),
            pb_utils.Tensor("FP16", np.array([0.5], np.float16)),
            pb_utils.Tensor("FP64", np.array([[0.1], [1e300]])),
            pb_utils.Tensor("SCALAR", np.array(7, np.int32)),
            pb_utils.Tensor("EMPTY", np.zeros((0, 3), np.float32)),
        ]
        return [pb_utils.InferenceResponse(outputs) for _ in requests]
