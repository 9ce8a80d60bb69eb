import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Answers how often this instance has run. The order of the three depends on when their threads started."""

    def initialize(self, args):
        self.executions = 0

    def execute(self, requests):
        self.executions += 1
        answer = np.array([str(self.executions)], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", answer)]) for _ in requests]
