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
        seen = []
        for tensor in sorted(request.inputs(), key=lambda tensor: tensor.name()):
            array = tensor.as_numpy()
            seen.append(f"{tensor.name()} {tensor.shape()} {array.dtype} {array.strides} {array.tolist()}")
            seen.append(f"{tensor.is_cpu()} {array.flags.writeable} {array.flags.owndata} {array.flags.c_contiguous}")
        return seen
