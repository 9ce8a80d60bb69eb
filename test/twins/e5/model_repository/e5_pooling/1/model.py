import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            hidden = pb_utils.get_input_tensor_by_name(request, "last_hidden_state").as_numpy()
            mask = pb_utils.get_input_tensor_by_name(request, "attention_mask").as_numpy()
            mask = mask[:, :, None].astype(np.float32)
            mean = (hidden * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1e-9)
            norm = np.linalg.norm(mean, axis=1, keepdims=True)
            embedding = mean / np.maximum(norm, 1e-12)
            responses.append(
                pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("embedding", embedding)])
            )
        return responses
