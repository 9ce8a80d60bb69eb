import json

import triton_python_backend_utils as pb_utils
from transformers import AutoTokenizer


class TritonPythonModel:
    def initialize(self, args):
        params = json.loads(args["model_config"])["parameters"]
        recipe = params["recipe_file"]["string_value"]
        with open(f"{args['model_repository']}/{recipe}") as file:
            backbone = json.load(file)["backbone"]
        self.tokenizer = AutoTokenizer.from_pretrained(backbone)
        self.max_length = 256

    def execute(self, requests):
        responses = []
        for request in requests:
            query = pb_utils.get_input_tensor_by_name(request, "QUERY").as_numpy()
            batch = self.tokenizer(
                [text.decode("utf-8") for text in query.flatten()],
                padding="longest",
                max_length=self.max_length,
                truncation=True,
                return_tensors="np",
            )
            ids = pb_utils.Tensor("INPUT_IDS", batch["input_ids"])
            mask = pb_utils.Tensor("ATTENTION_MASK", batch["attention_mask"])
            responses.append(pb_utils.InferenceResponse(output_tensors=[ids, mask]))
        return responses
