import json

import numpy as np
import triton_python_backend_utils as pb_utils

config = {
    "backend": "python",
    "input": [{"name": "X", "data_type": "TYPE_STRING", "dims": [-1]}],
    "output": [{"name": "Y", "data_type": "TYPE_STRING", "dims": [-1]}],
}


def saying(text):
    return f"""
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(["{text}"], dtype=object))]) for _ in requests]
""".encode()


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = [self.attempt(text) for text in texts]
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def attempt(self, call):
        names = {**vars(pb_utils), "saying": saying, "config": json.dumps(config)}
        try:
            return repr(eval(call, names))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
