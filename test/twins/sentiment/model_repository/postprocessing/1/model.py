import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.labels = parameters["labels"]["string_value"].split(",")
        self.unsure_below = float(parameters["unsure_below"]["string_value"])

    def execute(self, requests):
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "LOGITS").as_numpy()
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            chances = powers / powers.sum(axis=1, keepdims=True)
            scores = chances.max(axis=1, keepdims=True)
            labels = [
                self.labels[best] if score >= self.unsure_below else "unsure"
                for best, score in zip(chances.argmax(axis=1), scores[:, 0])
            ]
            verdicts = [
                json.dumps({"label": label, "score": float(score)})
                for label, score in zip(labels, scores[:, 0])
            ]
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor("LABEL", np.array(labels, dtype=object)[:, None]),
                        pb_utils.Tensor("SCORE", scores),
                        pb_utils.Tensor("SCORES", chances),
                        pb_utils.Tensor("VERDICT", np.array(verdicts, dtype=object)[:, None]),
                    ]
                )
            )
        return responses
