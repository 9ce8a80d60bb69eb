import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            tensor = request.inputs()[0]
            copied = pb_utils.Tensor.from_dlpack("CAPSULE", tensor.to_dlpack())
            viewed = pb_utils.Tensor("VIEW", np.from_dlpack(tensor) * 2)
            again = pb_utils.Tensor.from_dlpack("TENSOR", tensor)
            responses.append(pb_utils.InferenceResponse([copied, viewed, again]))
        return responses
