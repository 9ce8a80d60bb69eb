import io
import locale
import os
import sys
import tempfile

import numpy as np
import triton_python_backend_utils as pb_utils


def read(text, **options):
    """What a file with this text contains for `open`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels.txt")
        with open(path, "wb") as file:
            file.write(text.encode())
        with open(path, **options) as file:
            return file.read()


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        return [self.evaluate(text, request) for text in texts]

    def evaluate(self, expression, request):
        try:
            return repr(eval(expression, {**globals(), "read": read}))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
