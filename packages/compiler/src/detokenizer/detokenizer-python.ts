import { cleanUpReplacements, type DetokenizerTwinOptions } from "@tritype/manifest";
import { literal } from "../tokenizer/python-parts.ts";

/** The `model.py` of a detokenizer step for Triton's python backend. Its constants are the options of the native twin. */
export const detokenizerPython = (options: DetokenizerTwinOptions): string => `\
"""Token ids to text, by the tokenizer.json beside this file."""

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = ${literal(options.step)}  # how messages name this model
${options.padId === null ? "" : `PAD_ID = ${options.padId}  # no part of any text\n`}\
${options.cleanUp ? cleanUpConstant : ""}

class InvalidRequest(Exception):
    """The client's mistake; its text is the answer."""


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            ids = pb_utils.get_input_tensor_by_name(request, "ids").as_numpy()
            texts = [${options.cleanUp ? "clean_up(text)" : "text"} for text in self.decode(ids)]
            values = np.empty((len(texts), 1), np.object_)
            values[:, 0] = [text.encode("utf-8") for text in texts]
            return pb_utils.InferenceResponse([pb_utils.Tensor("text", values)])
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # one request's failure is not its neighbour's
            return failure(error, pb_utils.TritonError.INTERNAL)

    def decode(self, ids):
        """One text per row. The library leaves ids that are no tokens out without a word; here they are an error."""
        tokens = {token for token in np.unique(ids).tolist() if self.is_token(token)}
        rows = ${options.padId === null ? "ids.tolist()" : "[[token for token in row if token != PAD_ID] for row in ids.tolist()]"}
        for index, row in enumerate(rows):
            for token in row:
                if token not in tokens:
                    size = self.tokenizer.get_vocab_size()
                    raise InvalidRequest(
                        f"row {index} has id {token}, which is none of the {size} tokens of tokenizer.json"
                    )
\
        return self.tokenizer.decode_batch(rows, skip_special_tokens=${options.skipSpecialTokens ? "True" : "False"})

    def is_token(self, token):
        return 0 <= token < 2**32 and self.tokenizer.id_to_token(token) is not None

${options.cleanUp ? cleanUpFunction : ""}
def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))
`;

const cleanUpConstant = `CLEAN_UP = [  # what each becomes, in this order
${cleanUpReplacements.map(([from, to]) => `    (${literal(from)}, ${literal(to)}),\n`).join("")}]
`;

const cleanUpFunction = `
def clean_up(text):
    for part, replacement in CLEAN_UP:
        text = text.replace(part, replacement)
    return text

`;
