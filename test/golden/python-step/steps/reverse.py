import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            rows = [[text.decode("utf-8")[::-1].encode("utf-8")] for text in texts.reshape(-1)]
            reversed_texts = np.array(rows, np.object_).reshape(-1, 1)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("reversed", reversed_texts)]))
        return responses
