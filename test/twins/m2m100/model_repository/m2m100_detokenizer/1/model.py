import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))

    def execute(self, requests):
        responses = []
        for request in requests:
            tokens = pb_utils.get_input_tensor_by_name(request, "generated_indices").as_numpy()
            texts = self.tokenizer.decode_batch(tokens.tolist(), skip_special_tokens=True)
            tensor = pb_utils.Tensor("TRANSLATION", np.array(texts, dtype=object)[:, None])
            responses.append(pb_utils.InferenceResponse(output_tensors=[tensor]))
        return responses
