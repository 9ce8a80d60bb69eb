import numpy as np
import triton_python_backend_utils as pb_utils

LABELS = np.array(["negative", "positive"], dtype=object)


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "LOGITS").as_numpy()
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            scores = powers.max(axis=1) / powers.sum(axis=1)
            labels = LABELS[logits.argmax(axis=1)]
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("LABEL", labels[:, None]),
                        pb_utils.Tensor("SCORE", scores[:, None]),
                    ]
                )
            )
        return responses
