import json
import os
import re

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

REMOVED = [re.compile(r"<[^>]*>"), re.compile(r"https?://\S+"), re.compile(r"@\w+", re.ASCII)]
REPEATED = re.compile(r"([a-zA-Z!?])\1{2,}")


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        folder = args["model_repository"]
        try:
            with open(os.path.join(folder, parameters["recipe_file"]["string_value"])) as file:
                recipe = json.load(file)
        except (KeyError, OSError, ValueError) as error:
            raise pb_utils.TritonModelException(f"the recipe cannot be read: {error}")
        self.prefix = recipe["task_prefix"]
        self.max_tokens = int(parameters["max_seq_len"]["string_value"])
        tokenizer = os.path.join(folder, args["model_version"], recipe["tokenizer"])
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.no_truncation()
        self.tokenizer.enable_padding(pad_to_multiple_of=recipe["pad_to_multiple_of"])

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        queries = pb_utils.get_input_tensor_by_name(request, "QUERY").as_numpy()
        try:
            texts = [self.prefix + clean(query.decode("utf-8")) for query in queries.flatten()]
            batch = self.tokenizer.encode_batch(texts)
            if len(batch[0].ids) > self.max_tokens:
                raise ValueError(f"a text has more than {self.max_tokens} tokens")
        except ValueError as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
        ids = np.array([row.ids for row in batch], dtype=np.int64)
        mask = np.array([row.attention_mask for row in batch], dtype=np.int64)
        return pb_utils.InferenceResponse(
            output_tensors=[
                pb_utils.Tensor("INPUT_IDS", ids),
                pb_utils.Tensor("ATTENTION_MASK", mask),
            ]
        )


def clean(text):
    for pattern in REMOVED:
        text = pattern.sub(" ", text)
    text = " ".join(REPEATED.sub(r"\1\1", text).split())
    if text == "":
        raise ValueError("no text is left after cleaning")
    return text
