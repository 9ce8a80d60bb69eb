import os
import sys

import neighbour
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        folder = pb_utils.get_model_dir()
        return [__name__, folder.split("/")[-2], str(folder in sys.path), str(os.path.dirname(folder) in sys.path), neighbour.text, str(__file__ == os.path.join(folder, "model.py"))]
