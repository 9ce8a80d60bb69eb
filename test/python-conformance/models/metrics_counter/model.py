import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily(name="conf_requests", description="Requests so far", kind=pb_utils.MetricFamily.COUNTER)
        self.plain = self.family.Metric()
        self.labelled = self.family.Metric(labels={"zone": "b", "model": "metrics_counter", "text": 'a "quoted" \\ line'})

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        texts = [text.decode() for text in pb_utils.get_input_tensor_by_name(request, "X").as_numpy()]
        answers = self.answer(texts, request)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(answers, dtype=object))])

    def answer(self, texts, request):
        self.plain.increment(100000)
        self.labelled.increment(float(texts[0]))
        return [str(self.plain.value()), str(self.labelled.value())]
