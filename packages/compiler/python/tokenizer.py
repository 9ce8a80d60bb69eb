import template

"""Text to token ids, with the tokenizer.json next to this file."""

import json
if template.hold_errors:
    import time
from pathlib import Path
if template.source_languages:
    from types import SimpleNamespace

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = template.step  # name of this model, for messages
MAX_LENGTH = template.max_length  # tokens per row, including special tokens
if template.prefix:
    PREFIX = template.prefix  # added in front of every text
if template.multiple_of:
    MULTIPLE_OF = template.multiple_of  # padded lengths are multiples of this
if template.buckets:
    BUCKETS = template.buckets  # padded lengths
PAD = template.pad
FIELDS = template.fields
if template.languages:
    LANGUAGES = template.languages


from shared import InvalidRequest


if template.hold_errors:
    from shared import hold_errors


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        # Truncation and padding settings in the file are ignored.
        if template.cuts_one_text:
            self.truncate()
        elif template.truncates:
            self.tokenizer.enable_truncation(
                MAX_LENGTH - 1 if template.adds_language else MAX_LENGTH, stride=0, strategy=template.strategy, direction=template.direction
            )
        else:
            self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        outputs = json.loads(args["model_config"])["output"]
        self.declared = {output["name"]: output for output in outputs}

    @template.hold_errors(hold_errors)
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            rows, length = self.encode(request)
            if template.target_languages:
                targets = np.array(read_languages(request, "target_language"), np.int64).reshape(-1, 1)
                tensors = [
                    pb_utils.Tensor(name, targets) if name == "forced_bos_token_id" else self.tensor(name, rows, length)
                    for name in request.requested_output_names()
                ]
                return pb_utils.InferenceResponse(tensors)
            else:
                names = request.requested_output_names()
                return pb_utils.InferenceResponse([self.tensor(name, rows, length) for name in names])
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # a failure only affects its own request
            return failure(error, pb_utils.TritonError.INTERNAL)

    def encode(self, request):
        """The rows of a request as encodings, all padded to one length."""
        texts = [PREFIX + text for text in read_texts(request, "text")] if template.prefix else read_texts(request, "text")
        if template.source_languages:
            sources = read_languages(request, "source_language")
        if template.cuts_one_text:
            pairs = list(zip(texts, read_texts(request, "text_pair")))
            try:
                rows = self.tokenizer.encode_batch(pairs, add_special_tokens=template.add_special_tokens)
            except Exception:
                self.refuse_no_room(pairs)
                raise
        elif template.pair:
            pairs = list(zip(texts, read_texts(request, "text_pair")))
            rows = self.tokenizer.encode_batch(pairs, add_special_tokens=template.add_special_tokens)
        else:
            rows = self.tokenizer.encode_batch(texts, add_special_tokens=template.add_special_tokens)
        if template.refuses_long:
            for index, row in enumerate(rows):
                size = len(row) + 1 if template.adds_language else len(row)
                if size > MAX_LENGTH:
                    raise InvalidRequest(f"row {index} has {size} tokens, but the maximum is {MAX_LENGTH}")
        if template.pads_to_max:
            length = MAX_LENGTH
        else:
            length = max((len(row) + 1 for row in rows) if template.adds_language else map(len, rows), default=0)
            if template.multiple_of:
                length += -length % MULTIPLE_OF
            elif template.buckets:
                length = next(bucket for bucket in BUCKETS if bucket >= length)
        for row in rows:
            row.pad(length - 1 if template.adds_language else length, **PAD)
        if template.source_languages:
            rows = [with_language(row, language) for row, language in zip(rows, sources)]
        return rows, length

    if template.cuts_one_text:
        def truncate(self):
            self.tokenizer.enable_truncation(
                MAX_LENGTH, stride=0, strategy=template.strategy, direction=template.direction
            )

        def refuse_no_room(self, pairs):
            """Checks untruncated rows against the maximum: at least one token of the truncated text must remain."""
            self.tokenizer.no_truncation()
            try:
                rows = self.tokenizer.encode_batch(pairs, add_special_tokens=template.add_special_tokens)
            finally:
                self.truncate()
            for index, row in enumerate(rows):
                beside = len(row) - row.sequence_ids.count(0 if template.cuts_first else 1)
                if len(row) > MAX_LENGTH and beside >= MAX_LENGTH:
                    if template.cuts_first:
                        raise InvalidRequest(
                            f"row {index} has {len(row)} tokens, but the maximum is {MAX_LENGTH}: "
                            f"{beside} of them are outside text, the only text that is truncated"
                        )
                    else:
                        raise InvalidRequest(
                            f"row {index} has {len(row)} tokens, but the maximum is {MAX_LENGTH}: "
                            f"{beside} of them are outside text_pair, the only text that is truncated"
                        )

    def tensor(self, name, rows, length):
        """An output in the dtype of config.pbtxt, checked against its dims."""
        shape = [len(rows), length, 2] if name == "offsets" else [len(rows), length]
        dims = self.declared[name]["dims"]
        if any(dim not in (-1, size) for dim, size in zip(dims, shape[-len(dims) :])):
            raise ValueError(f"output {name} has shape {shape}, but config.pbtxt declares {dims}")
        dtype = pb_utils.triton_string_to_numpy(self.declared[name]["data_type"])
        values = np.array([getattr(row, FIELDS[name]) for row in rows], dtype)
        return pb_utils.Tensor(name, values.reshape(shape))


from shared import read_texts


if template.source_languages:
    def with_language(row, language):
        if template.replaces_language:
            """A padded row with the token of its source language instead of the file's own."""
        else:
            """A padded row with the token of its source language in front."""
        fields = {name: getattr(row, name) for name in FIELDS.values()}
        if template.replaces_language:
            fields["ids"][template.language_place] = language
        else:
            token = {"ids": language, "attention_mask": 1, "type_ids": 0, "special_tokens_mask": 1, "offsets": (0, 0)}
            for name, values in fields.items():
                values.insert(template.language_place, token[name])
        return SimpleNamespace(**fields)


if template.languages:
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
