import os

import numpy as np
import triton_python_backend_utils as pb_utils
from transformers import AutoTokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"])
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def execute(self, requests):
        responses = []
        for request in requests:
            texts = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy()
            tokens = self.tokenizer([text.decode("utf-8") for text in texts.ravel()], padding=True)
            outputs = []
            for name in self.tokenizer.model_input_names:
                outputs.append(pb_utils.Tensor(name, np.array(tokens[name], dtype=np.int64)))
            responses.append(pb_utils.InferenceResponse(output_tensors=outputs))
        return responses
