import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(128)
        self.tokenizer.enable_padding(pad_to_multiple_of=16)

    def execute(self, requests):
        responses = []
        for request in requests:
            texts = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy()
            batch = self.tokenizer.encode_batch([text.decode("utf-8") for text in texts.flatten()])
            ids = np.array([row.ids for row in batch], dtype=np.int64)
            mask = np.array([row.attention_mask for row in batch], dtype=np.int64)
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("INPUT_IDS", ids),
                        pb_utils.Tensor("ATTENTION_MASK", mask),
                    ]
                )
            )
        return responses
