import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily(name="conf_level", description="A level", kind=pb_utils.MetricFamily.GAUGE)
        self.metric = self.family.Metric(labels={"of": "gauge"})

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        getattr(self.metric, texts[0])(float(texts[1]))
        return [str(self.metric.value())]
