class TritonPythonModel:
    def execute(self requests):
        pass
