"""Returns numbers unchanged, written by hand."""

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            return pb_utils.InferenceResponse([pb_utils.Tensor("x", x)])
        except Exception as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
