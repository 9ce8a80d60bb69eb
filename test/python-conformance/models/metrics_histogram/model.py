import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily(name="conf_latency", description="Seconds", kind=pb_utils.MetricFamily.HISTOGRAM)
        self.metric = self.family.Metric(labels={"of": "histogram"}, buckets=[0.1, 1.0, 10])

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        if texts[0] == "value":
            return [str(self.metric.value())]
        for text in texts:
            self.metric.observe(float(text))
        return ["observed"]
