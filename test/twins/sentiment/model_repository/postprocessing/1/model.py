import numpy as np
import triton_python_backend_utils as pb_utils

LABELS = np.array(["negative", "positive"], dtype=object)


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "LOGITS").as_numpy()
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            best = logits.argmax(axis=1)
            scores = powers.max(axis=1) / powers.sum(axis=1)
            labels = LABELS[best].reshape(-1, 1)
            shown = np.array([[f"{score:.4f}"] for score in scores], dtype=object)
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("LABEL", labels),
                        pb_utils.Tensor("SCORE", shown),
                    ]
                )
            )
        return responses
