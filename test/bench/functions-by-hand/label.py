"""Writes label and score as JSON, written by hand."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils

LABELS = {"LABEL_0": "negative", "LABEL_1": "neutral", "LABEL_2": "positive"}


class TritonPythonModel:
    def initialize(self, args):
        pass

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            labels = pb_utils.get_input_tensor_by_name(request, "label").as_numpy().reshape(-1)
            scores = pb_utils.get_input_tensor_by_name(request, "score").as_numpy().reshape(-1).tolist()
            answers = [self.answer(label.decode(), score) for label, score in zip(labels, scores)]
            values = np.array([text.encode() for text in answers], object).reshape(-1, 1)
            return pb_utils.InferenceResponse([pb_utils.Tensor("answer", values)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))

    def answer(self, label, score):
        named = {"label": LABELS.get(label, "unknown"), "score": score}
        return json.dumps(named, ensure_ascii=False, separators=(",", ":"))
