import c_python_backend_utils
import numpy as np
import triton_python_backend_utils as pb_utils


def members():
    # The tests' Triton imports numpy late.
    return " ".join(name for name in dir(pb_utils) if not name.startswith("_") and name != "late_numpy")


AT_IMPORT = members()
TENSOR = c_python_backend_utils.Tensor


class TritonPythonModel:
    def __init__(self):
        self.in_constructor = members()

    def execute(self, requests):
        texts = np.array([AT_IMPORT, self.in_constructor, members(), str(TENSOR is pb_utils.Tensor)], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", texts)]) for _ in requests]
