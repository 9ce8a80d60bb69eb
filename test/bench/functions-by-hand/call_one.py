"""Calls a model once, written by hand."""

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        response = pb_utils.InferenceRequest(
            model_name="noop_numbers_python",
            requested_output_names=["x"],
            inputs=[pb_utils.get_input_tensor_by_name(request, "x")],
            preferred_memory=pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU),
        ).exec()
        if response.has_error():
            return pb_utils.InferenceResponse(error=response.error())
        x = pb_utils.get_output_tensor_by_name(response, "x").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("x", x)])
