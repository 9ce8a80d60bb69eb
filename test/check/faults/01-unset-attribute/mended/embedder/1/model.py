import numpy as np
import triton_python_backend_utils as pb_utils
from transformers import AutoModel, AutoTokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = f"{args['model_repository']}/{args['model_version']}/encoder"
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.encoder = AutoModel.from_pretrained(folder)

    def execute(self, requests):
        responses = []
        for request in requests:
            rows = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            sentences = [row[0].decode("utf-8") for row in rows]
            encoded = self.tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
            hidden = self.encoder(**encoded).last_hidden_state
            mask = encoded["attention_mask"].unsqueeze(-1)
            pooled = (hidden * mask).sum(1) / mask.sum(1)
            vectors = pooled.detach().numpy().astype(np.float32)
            tensor = pb_utils.Tensor("sentence_embedding", vectors)
            responses.append(pb_utils.InferenceResponse(output_tensors=[tensor]))
        return responses
