import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def execute(self, requests):
        responses = []
        for request in requests:
            rows = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            texts = [row[0].decode("utf-8") for row in rows]
            batch = self.tokenizer.encode_batch(texts)
            ids = np.array([row.ids for row in batch], dtype=np.int64)
            mask = np.array([row.attention_mask for row in batch], dtype=np.int64)
            types = np.array([row.type_ids for row in batch], dtype=np.int64)
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("input_ids", ids),
                        pb_utils.Tensor("attention_mask", mask),
                        pb_utils.Tensor("token_type_ids", types),
                    ]
                )
            )
        return responses
