import late_helper


class TritonPythonModel:
    def execute(self, requests):
        return late_helper.answers(requests)
