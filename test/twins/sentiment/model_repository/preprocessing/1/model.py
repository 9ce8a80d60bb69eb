import json
import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        folder = args["model_repository"]
        try:
            with open(os.path.join(folder, parameters["recipe_file"]["string_value"])) as file:
                recipe = json.load(file)
        except (KeyError, OSError, ValueError) as error:
            raise pb_utils.TritonModelException(f"the recipe cannot be read: {error}")
        self.prefix = recipe["task_prefix"]
        tokenizer = os.path.join(folder, args["model_version"], recipe["tokenizer"])
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(int(parameters["max_seq_len"]["string_value"]))
        self.tokenizer.enable_padding(pad_to_multiple_of=recipe["pad_to_multiple_of"])

    def execute(self, requests):
        responses = []
        for request in requests:
            queries = pb_utils.get_input_tensor_by_name(request, "QUERY").as_numpy()
            texts = [self.prefix + query.decode("utf-8") for query in queries.flatten()]
            batch = self.tokenizer.encode_batch(texts)
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
