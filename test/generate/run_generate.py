"""Runs emitted generate models in plain CPython: reads one job per line as JSON from stdin, and prints one list of answers per line.

Arguments: the folder of the `triton_python_backend_utils` to use.
"""

import importlib.util
import json
import sys

sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402
import triton_python_backend_utils as pb_utils  # noqa: E402
from tritype_child.late_members import LATE_MEMBERS  # noqa: E402


def load(folder, config):
    # All generate models have the same files next to model.py.
    sys.path.append(folder)
    spec = importlib.util.spec_from_file_location("model", f"{folder}/model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(pb_utils).update(LATE_MEMBERS)
    module.ASK_AGAIN = 0
    model = module.TritonPythonModel()
    model.initialize({"model_config": json.dumps(config), "model_name": config["name"]})
    return model


class Request:
    """The parts of a request that a model uses; its client disconnects after some steps."""

    def __init__(self, inputs, outputs, patience):
        self.request = pb_utils.InferenceRequest(
            "", 0, [pb_utils.Tensor(name, tensor(**given)) for name, given in inputs.items()], outputs, "generate"
        )
        self.patience = patience

    def is_cancelled(self):
        self.patience -= 1
        return self.patience < 0

    def __getattr__(self, name):
        return getattr(self.request, name)


def tensor(dtype, shape, values):
    return np.array(values, {"FP32": np.float32, "INT64": np.int64}[dtype]).reshape(shape)


def answer(response):
    if response.has_error():
        return {"code": response.error().code().name, "message": response.error().message()}
    return {one.name(): described(one.as_numpy()) for one in response.output_tensors()}


def described(array):
    return {"dtype": array.dtype.name.upper(), "shape": list(array.shape), "values": array.reshape(-1).tolist()}


models = {}
for line in sys.stdin:
    job = json.loads(line)
    if job["folder"] not in models:
        models[job["folder"]] = load(job["folder"], job["config"])
    requests = [Request(it["inputs"], job["outputs"], it.get("patience", 1e9)) for it in job["requests"]]
    responses = models[job["folder"]].execute(requests)
    print(json.dumps([answer(response) for response in responses]), flush=True)
