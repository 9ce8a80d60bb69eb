import template

template.heading

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        """Runs once for each instance, when the model is loaded. Files next to this one: Path(__file__).with_name(...)."""

    if template.decoupled:

        def execute(self, requests: list[pb_utils.InferenceRequest]) -> None:
            """Sends any number of responses to each request. The last one has the flag."""
            for request in requests:
                sender = request.get_response_sender()
                sender.send(self.respond(request), flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    else:

        def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
            """Returns one response for each request, in the same order."""
            return [self.respond(request) for request in requests]

    def respond(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        if template.reads:
            template.reads

        # Replace these zeros of the declared dtypes and sizes with your model's outputs.
        template.makes

        return pb_utils.InferenceResponse(
            output_tensors=[
                template.tensors,
            ]
        )
