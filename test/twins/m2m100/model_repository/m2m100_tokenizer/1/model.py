import json
import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        parameters = json.loads(args["model_config"])["parameters"]
        # One of them is the source language's code, which stands in front.
        longest = int(parameters["max_seq_len"]["string_value"]) - 1
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(longest)
        self.pad = self.tokenizer.token_to_id("<pad>")

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        try:
            sources = [self.code(name) for name in read(request, "SOURCE_LANGUAGE")]
            targets = [self.code(name) for name in read(request, "TARGET_LANGUAGE")]
            rows = self.tokenizer.encode_batch(read(request, "TEXT"))
        except ValueError as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
        rows = [[source] + row.ids for source, row in zip(sources, rows)]
        ids = np.full((len(rows), max(map(len, rows))), self.pad, dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=np.int64)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        return pb_utils.InferenceResponse(
            output_tensors=[
                pb_utils.Tensor("input_ids", ids),
                pb_utils.Tensor("attention_mask", mask),
                pb_utils.Tensor("forced_bos_token_id", np.array(targets, dtype=np.int64)[:, None]),
            ]
        )

    def code(self, language):
        code = self.tokenizer.token_to_id(f"__{language}__")
        if code is None:
            raise ValueError(f"the model does not know the language {language!r}")
        return code


def read(request, name):
    texts = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    return [text.decode("utf-8") for text in texts.flatten()]
