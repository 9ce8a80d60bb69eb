import numpy as np
import triton_python_backend_utils as pb_utils

LABELS = np.array(["negative", "positive"], dtype=object)


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "LOGITS").as_numpy()
            labels = LABELS[logits.argmax(axis=1)].reshape(-1, 1)
            responses.append(
                pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("LABEL", labels)])
            )
        return responses
