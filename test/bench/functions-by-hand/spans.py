"""Converts BIO tags to entity spans as JSON, written by hand."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


class TritonPythonModel:
    def initialize(self, args):
        pass

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().reshape(-1)
            tags = pb_utils.get_input_tensor_by_name(request, "tags").as_numpy().tolist()
            answers = [self.spans(text.decode(), row) for text, row in zip(texts, tags)]
            values = np.array([text.encode() for text in answers], object).reshape(-1, 1)
            return pb_utils.InferenceResponse([pb_utils.Tensor("spans", values)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))

    def spans(self, text, tags):
        spans = []
        offset = 0
        for index, word in enumerate(text.split(" ")):
            name = NAMES[tags[index]] if index < len(tags) else "O"
            start, offset = offset, offset + len(word) + 1
            if name == "O":
                continue
            label = name[2:]
            last = spans[-1] if spans else None
            if name.startswith("I-") and last is not None and last["label"] == label and last["end"] == start - 1:
                last["end"] = start + len(word)
                last["text"] = text[last["start"] : last["end"]]
            else:
                end = start + len(word)
                spans.append({"start": start, "end": end, "label": label, "text": word})
        return json.dumps(spans, ensure_ascii=False, separators=(",", ":"))
