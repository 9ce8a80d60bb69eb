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
        return [tell(ask("echo", texts).async_exec())]


def ask(model, texts, **more):
    inputs = [pb_utils.Tensor("X", np.array(texts, dtype=object))]
    return pb_utils.InferenceRequest(
        **{"model_name": model, "inputs": inputs, "requested_output_names": ["Y"], **more}
    )


def tell(response):
    if response.has_error():
        return f"{response.error().code()} {response.error().message()}"
    return str({tensor.name(): tensor.as_numpy().tolist() for tensor in response.output_tensors()})
