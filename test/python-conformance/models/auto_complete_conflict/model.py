import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_output({"name": "Y", "data_type": "TYPE_FP32", "dims": [-1]})
        return config
