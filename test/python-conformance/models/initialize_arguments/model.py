import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        output = pb_utils.get_output_config_by_name(config, "Y")
        dtype = pb_utils.triton_string_to_numpy(output["data_type"])
        self.seen = [f"{key}={value}" for key, value in sorted(args.items()) if key not in ("model_config", "model_repository")]
        self.seen += [args["model_repository"].split("/")[-1], str(output), str(dtype), config["parameters"]["size"]["string_value"]]
        self.seen += [str(pb_utils.using_decoupled_model_transaction_policy(config)), str(pb_utils.get_input_config_by_name(config, "NO"))]
        self.seen += [json.dumps(config, sort_keys=True)]

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        return self.seen
