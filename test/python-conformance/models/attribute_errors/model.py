import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [eval(request.inputs()[0].as_numpy()[0].decode(), {"request": request, "pb_utils": pb_utils}) for request in requests]
