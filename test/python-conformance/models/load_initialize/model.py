class TritonPythonModel:
    def initialize(self, args):
        open_the_weights()


def open_the_weights():
    raise FileNotFoundError(2, "No such file or directory", "weights.bin")
