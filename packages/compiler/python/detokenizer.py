import template

"""Token ids to text, with the tokenizer.json next to this file."""

if template.hold_errors:
    import time
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = template.step  # name of this model, for messages
if template.pad_id:
    PAD_ID = template.pad_id  # never part of the text
if template.clean_up:
    CLEAN_UP = template.clean_up


from shared import InvalidRequest


if template.hold_errors:
    from shared import hold_errors


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))

    @template.hold_errors(hold_errors)
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            ids = pb_utils.get_input_tensor_by_name(request, "ids").as_numpy()
            texts = [clean_up(text) if template.clean_up else text for text in self.decode(ids)]
            values = np.empty((len(texts), 1), np.object_)
            values[:, 0] = [text.encode("utf-8") for text in texts]
            return pb_utils.InferenceResponse([pb_utils.Tensor("text", values)])
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # a failure only affects its own request
            return failure(error, pb_utils.TritonError.INTERNAL)

    def decode(self, ids):
        """One text per row. An id that is not a token is an error; the library would drop it silently."""
        tokens = {token for token in np.unique(ids).tolist() if self.is_token(token)}
        if template.pad_id:
            rows = [[token for token in row if token != PAD_ID] for row in ids.tolist()]
        else:
            rows = ids.tolist()
        for index, row in enumerate(rows):
            for token in row:
                if token not in tokens:
                    size = self.tokenizer.get_vocab_size()
                    raise InvalidRequest(
                        f"row {index} has id {token}, which is not one of the {size} tokens of tokenizer.json"
                    )
        return self.tokenizer.decode_batch(rows, skip_special_tokens=template.skip_special_tokens)

    def is_token(self, token):
        return 0 <= token < 2**32 and self.tokenizer.id_to_token(token) is not None


if template.clean_up:
    def clean_up(text):
        for part, replacement in CLEAN_UP:
            text = text.replace(part, replacement)
        return text


def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))
