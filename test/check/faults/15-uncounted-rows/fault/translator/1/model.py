from pathlib import Path

import torch
import triton_python_backend_utils as pb_utils
from optimum.onnxruntime import ORTModelForSeq2SeqLM


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"] / "seq2seq"
        self.model = ORTModelForSeq2SeqLM.from_pretrained(
            folder,
            encoder_file_name="encoder_model_quantized.onnx",
            decoder_file_name="decoder_model_quantized.onnx",
        )

    def execute(self, requests):
        responses = []
        for request in requests:
            input_ids = pb_utils.get_input_tensor_by_name(request, "input_ids").as_numpy()
            mask = pb_utils.get_input_tensor_by_name(request, "attention_mask").as_numpy()
            generated = self.model.generate(
                input_ids=torch.as_tensor(input_ids),
                attention_mask=torch.as_tensor(mask),
                forced_bos_token_id=128088,
                max_new_tokens=128,
            )
            tensor = pb_utils.Tensor("generated_indices", generated.numpy())
            responses.append(pb_utils.InferenceResponse(output_tensors=[tensor]))
        return responses
