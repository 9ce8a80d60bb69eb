"""Text to token ids, with the tokenizer.json next to this file."""

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = "tokenize"  # name of this model, for messages
MAX_LENGTH = 256  # tokens per row, including special tokens
PREFIX = "query: \"𠮷\"\n"  # added in front of every text
BUCKETS = [32, 64, 256]  # padded lengths
PAD = {"direction": "left", "pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>"}
FIELDS = {
    "input_ids": "ids",
    "attention_mask": "attention_mask",
    "token_type_ids": "type_ids",
    "special_tokens_mask": "special_tokens_mask",
    "offsets": "offsets",
}


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        # Truncation and padding settings in the file are ignored.
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        outputs = json.loads(args["model_config"])["output"]
        self.declared = {output["name"]: output for output in outputs}

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            rows, length = self.encode(request)
            names = request.requested_output_names()
            return pb_utils.InferenceResponse([self.tensor(name, rows, length) for name in names])
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # a failure only affects its own request
            return failure(error, pb_utils.TritonError.INTERNAL)

    def encode(self, request):
        """The rows of a request as encodings, all padded to one length."""
        texts = [PREFIX + text for text in read_texts(request, "text")]
        pairs = list(zip(texts, read_texts(request, "text_pair")))
        rows = self.tokenizer.encode_batch(pairs, add_special_tokens=False)
        for index, row in enumerate(rows):
            size = len(row)
            if size > MAX_LENGTH:
                raise InvalidRequest(f"row {index} has {size} tokens, but the maximum is {MAX_LENGTH}")
        length = max(map(len, rows), default=0)
        length = next(bucket for bucket in BUCKETS if bucket >= length)
        for row in rows:
            row.pad(length, **PAD)
        return rows, length

    def tensor(self, name, rows, length):
        """An output in the dtype of config.pbtxt, checked against its dims."""
        shape = [len(rows), length, 2] if name == "offsets" else [len(rows), length]
        dims = self.declared[name]["dims"]
        if any(dim not in (-1, size) for dim, size in zip(dims, shape[-len(dims) :])):
            raise ValueError(f"output {name} has shape {shape}, but config.pbtxt declares {dims}")
        dtype = pb_utils.triton_string_to_numpy(self.declared[name]["data_type"])
        values = np.array([getattr(row, FIELDS[name]) for row in rows], dtype)
        return pb_utils.Tensor(name, values.reshape(shape))


def read_texts(request, name):
    values = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    texts = []
    for row, value in enumerate(values.reshape(-1)):
        try:
            texts.append(value.decode("utf-8"))
        except UnicodeDecodeError:
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return texts


def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))
