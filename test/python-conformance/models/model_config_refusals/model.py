import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        return [self.change(text) for text in texts]

    def change(self, call):
        config = pb_utils.ModelConfig(CONFIG)
        try:
            eval(call, {"config": config})
            return str(config.as_dict())
        except Exception as error:
            return f"{type(error).__name__}: {error}"


CONFIG = """{"name": "m", "max_batch_size": 4, "input": [{"name": "A", "data_type": "TYPE_INT32", "dims": [2]}, {"name": "O", "data_type": "TYPE_INVALID", "dims": [], "optional": false}], "output": [{"name": "Z", "data_type": "TYPE_FP32", "dims": [1]}]}"""
