import triton_python_backend_utils as pb_utils
from transformers import AutoTokenizer


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = AutoTokenizer.from_pretrained(args["model_repository"])

    def execute(self, requests):
        responses = []
        for request in requests:
            rows = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            encoded = self.tokenizer(
                [row[0].decode("utf-8") for row in rows],
                max_length=512,
                padding=True,
                truncation=True,
                return_tensors="np",
            )
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("output_input_ids", encoded["input_ids"]),
                        pb_utils.Tensor("output_attention_mask", encoded["attention_mask"]),
                    ]
                )
            )
        return responses
