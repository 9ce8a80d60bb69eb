import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.families = [pb_utils.MetricFamily("conf_shared", "Shared", pb_utils.MetricFamily.GAUGE) for _ in range(2)]
        self.metrics = [family.Metric({"one": "same"}) for family in self.families]
        self.other = self.families[1].Metric({"one": "other"})

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        self.metrics[0].increment(1)
        self.metrics[1].increment(10)
        self.other.set(-0.1 - 0.2)
        return [str(metric.value()) for metric in self.metrics]
