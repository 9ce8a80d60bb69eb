"""Text to token ids, with the tokenizer.json next to this file."""

import json
import time
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = "tokenize"  # name of this model, for messages
MAX_LENGTH = 16  # tokens per row, including special tokens
PAD = {"direction": "right", "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}
FIELDS = {
    "input_ids": "ids",
    "attention_mask": "attention_mask",
}


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


def hold_errors(execute):
    """Delays errors by 10 ms: Triton before 26.05 may hang or crash if a step fails before the parallel steps have started."""

    def held(self, requests):
        responses = execute(self, requests)
        if any(response.has_error() for response in responses):
            time.sleep(0.01)
        return responses

    return held


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        # Truncation and padding settings in the file are ignored.
        self.tokenizer.enable_truncation(
            MAX_LENGTH, stride=0, strategy="longest_first", direction="right"
        )
        self.tokenizer.no_padding()
        outputs = json.loads(args["model_config"])["output"]
        self.declared = {output["name"]: output for output in outputs}

    @hold_errors
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
        texts = read_texts(request, "text")
        rows = self.tokenizer.encode_batch(texts, add_special_tokens=True)
        length = max(map(len, rows), default=0)
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
