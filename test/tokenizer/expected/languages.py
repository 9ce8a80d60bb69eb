"""Text to token ids, with the tokenizer.json next to this file."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = "tokenize"  # name of this model, for messages
MAX_LENGTH = 256  # tokens per row, including special tokens
MULTIPLE_OF = 8  # padded lengths are multiples of this
PAD = {"direction": "right", "pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>"}
FIELDS = {
    "input_ids": "ids",
    "attention_mask": "attention_mask",
}
LANGUAGES = {
    "af": 591,
    "de": 592,
    "en": 593,
    "es": 594,
    "fr": 595,
    "zh": 596,
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
            targets = np.array(read_languages(request, "target_language"), np.int64).reshape(-1, 1)
            tensors = [
                pb_utils.Tensor(name, targets) if name == "forced_bos_token_id" else self.tensor(name, rows, length)
                for name in request.requested_output_names()
            ]
            return pb_utils.InferenceResponse(tensors)
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # a failure only affects its own request
            return failure(error, pb_utils.TritonError.INTERNAL)

    def encode(self, request):
        """The rows of a request as encodings, all padded to one length."""
        texts = read_texts(request, "text")
        sources = read_languages(request, "source_language")
        rows = self.tokenizer.encode_batch(texts, add_special_tokens=True)
        for index, row in enumerate(rows):
            size = len(row) + 1
            if size > MAX_LENGTH:
                raise InvalidRequest(f"row {index} has {size} tokens, but the maximum is {MAX_LENGTH}")
        length = max((len(row) + 1 for row in rows), default=0)
        length += -length % MULTIPLE_OF
        for row in rows:
            row.pad(length - 1, **PAD)
        rows = [with_language(row, language) for row, language in zip(rows, sources)]
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


def with_language(row, language):
    """A padded row with the token of its source language in front."""
    fields = {name: getattr(row, name) for name in FIELDS.values()}
    token = {"ids": language, "attention_mask": 1, "type_ids": 0, "special_tokens_mask": 1, "offsets": (0, 0)}
    for name, values in fields.items():
        values.insert(0, token[name])
    return SimpleNamespace(**fields)


def read_languages(request, name):
    """The token ids of the languages that a request names."""
    ids = []
    for row, language in enumerate(read_texts(request, name)):
        if language not in LANGUAGES:
            raise InvalidRequest(f"row {row} of {name} is {unknown(language)}")
        ids.append(LANGUAGES[language])
    return ids


def unknown(language):
    """An unknown language, the known ones, and the nearest one."""
    said = json.dumps(language if len(language) <= 40 else language[:40] + "…", ensure_ascii=False)
    first, rest = list(LANGUAGES)[:5], len(LANGUAGES) - 5
    others = f" and {rest} more" if rest > 0 else ""
    near = nearest(language)
    return f"{said}; the languages are {', '.join(first)}{others}" + (f"; did you mean {near}?" if near else "")


def nearest(language):
    if not (2 <= len(language) <= 40 and all("!" <= char <= "~" for char in language)):
        return None
    given = language.lower()
    alike = [code for code in LANGUAGES if code.lower().startswith(given) or given.startswith(code.lower())]
    if alike:
        return max(alike, key=len)
    scored = [(distance(given, code.lower()), code) for code in LANGUAGES]
    least, near = min(scored, key=lambda pair: pair[0])
    return near if least <= max(1, len(language) // 3) else None


def distance(a, b):
    """Insertions, deletions, replacements and swaps of two adjacent characters each cost 1."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, rows[i - 2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))
