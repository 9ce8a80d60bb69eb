import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [json.loads(request.inputs()[0].as_numpy()[0]) for request in requests]
