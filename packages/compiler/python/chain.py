import template

template.docstring

import importlib.util
import json
import signal
import threading
from pathlib import Path

import triton_python_backend_utils as pb_utils

# The steps, in the order in which they run. Each has a folder with its own model.py.
# "text" is an input of this model, and "clean/text" is the output "text" of the step "clean".
STEPS = template.steps
OUTPUTS = template.outputs


class TritonPythonModel:
    def initialize(self, args):
        self.steps = [Step(args, **step) for step in STEPS]

    def execute(self, requests):
        """One response for each request. A request that a step refuses does not reach the next step."""
        responses = [None] * len(requests)
        tensors = [{tensor.name(): tensor for tensor in request.inputs()} for request in requests]
        for step in self.steps:
            left = [index for index, response in enumerate(responses) if response is None]
            if not left:
                break
            for index, response in zip(left, step.execute([tensors[index] for index in left])):
                if response.has_error():
                    responses[index] = response
                else:
                    tensors[index].update({f"{step.name}/{made.name()}": made for made in response.output_tensors()})
        return [
            answer(request, tensors[index]) if responses[index] is None else responses[index]
            for index, request in enumerate(requests)
        ]


def answer(request, tensors):
    names = request.requested_output_names()
    return pb_utils.InferenceResponse([named(name, tensors[OUTPUTS[name]]) for name in names])


def named(name, tensor):
    return tensor if tensor.name() == name else pb_utils.Tensor(name, tensor.as_numpy())


class Step:
    """One step with its own model.py, which gets the same requests as in a model of its own."""

    def __init__(self, args, name, folder, inputs, outputs):
        self.name = name
        self.inputs = inputs
        self.outputs = [output["name"] for output in outputs]
        path = Path(__file__).with_name(folder) / "model.py"
        spec = importlib.util.spec_from_file_location(f"step_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        config = {**json.loads(args["model_config"]), "name": name, "output": outputs}
        self.model = module.TritonPythonModel()
        self.model.initialize({**args, "model_name": name, "model_config": json.dumps(config)})
        self.handler = signal.getsignal(signal.SIGALRM)

    def execute(self, requests):
        # A step with a time limit has its own handler for it.
        if callable(self.handler) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGALRM, self.handler)
        return self.model.execute([StepRequest(self, tensors) for tensors in requests])


class StepRequest:
    """A request to a step, with the inputs that this model's request has or that earlier steps made."""

    def __init__(self, step, tensors):
        self.step = step
        self.tensors = tensors

    def inputs(self):
        sources = self.step.inputs.items()
        return [StepInput(name, self.tensors[source]) for name, source in sources if source in self.tensors]

    def requested_output_names(self):
        return self.step.outputs


class StepInput:
    """A tensor under the name of a step's input."""

    def __init__(self, name, tensor):
        self.input = name
        self.tensor = tensor

    def name(self):
        return self.input

    def as_numpy(self):
        return self.tensor.as_numpy()
