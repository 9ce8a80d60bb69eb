import os
import subprocess
import sys

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        print("to stdout")
        print("to stderr", file=sys.stderr)
        os.write(1, b"raw bytes \xff\n")
        subprocess.run(["echo", "from a process"])
        pb_utils.Logger.log_warn("to the log")
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([b"heard"], dtype=object))]) for _ in requests]
