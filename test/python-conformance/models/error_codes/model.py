import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            name = request.inputs()[0].as_numpy()[0].decode()
            error = pb_utils.TritonError(f"no {name}", getattr(pb_utils.TritonError, name)) if name.isupper() else pb_utils.TritonError("bare")
            responses.append(pb_utils.InferenceResponse(error=error))
        return responses
