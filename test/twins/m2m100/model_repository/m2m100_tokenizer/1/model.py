import json
import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        parameters = json.loads(args["model_config"])["parameters"]
        self.max_tokens = int(parameters["max_seq_len"]["string_value"])
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.pad = self.tokenizer.token_to_id("<pad>")

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        try:
            sources = [self.code(name) for name in read(request, "SOURCE_LANGUAGE")]
            targets = [self.code(name) for name in read(request, "TARGET_LANGUAGE")]
            rows = [self.tokens(*row) for row in zip(sources, read(request, "TEXT"))]
        except ValueError as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
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

    def tokens(self, source, text):
        if text.strip() == "":
            raise ValueError("the text is empty")
        tokens = [source] + self.tokenizer.encode(text.strip()).ids
        if len(tokens) > self.max_tokens:
            raise ValueError(f"the text has {len(tokens)} tokens, the model takes at most {self.max_tokens}")
        return tokens

    def code(self, language):
        code = self.tokenizer.token_to_id(f"__{language}__")
        if code is None:
            raise ValueError(f"the model does not know the language {language!r}")
        return code


def read(request, name):
    texts = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    return [text.decode("utf-8") for text in texts.flatten()]
