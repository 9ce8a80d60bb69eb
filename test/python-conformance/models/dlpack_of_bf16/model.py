import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            tensor = request.inputs()[0]
            copied = pb_utils.Tensor.from_dlpack("CAPSULE", tensor.to_dlpack())
            again = pb_utils.Tensor.from_dlpack("TENSOR", copied)
            device = pb_utils.Tensor("DEVICE", np.array(copied.__dlpack_device__(), np.int64))
            responses.append(pb_utils.InferenceResponse([copied, again, device]))
        return responses
