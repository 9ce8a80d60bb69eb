import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.Tensor.from_dlpack("Y", request.inputs()[0].to_dlpack()) for request in requests]
