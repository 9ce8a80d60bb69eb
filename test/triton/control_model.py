import json

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.amount = float(json.loads(args["model_config"])["parameters"]["amount"]["string_value"])

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        row = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", row + row.dtype.type(self.amount * 2))])

