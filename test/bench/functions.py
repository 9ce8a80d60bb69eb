"""Measures models: `python functions.py <folder of tritype_child> <rounds>`. Reads cases as JSON from stdin, and prints medians as JSON."""

import importlib.util
import json
import sys
import time
from statistics import median

import numpy as np

sys.path.insert(0, sys.argv[1])
import triton_python_backend_utils as pb_utils  # noqa: E402
from tritype_child.late_members import LATE_MEMBERS  # noqa: E402


class Request:
    def __init__(self, inputs, outputs):
        self.inputs_, self.outputs_ = inputs, outputs

    def inputs(self):
        return self.inputs_

    def requested_output_names(self):
        return self.outputs_


def load(path, number):
    spec = importlib.util.spec_from_file_location(f"model_{number}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(pb_utils).update(LATE_MEMBERS)
    model = module.TritonPythonModel()
    model.initialize({"model_config": "{}"})
    return model


def tensor(name, dtype, rows):
    if dtype == "BYTES":
        return pb_utils.Tensor(name, np.array([row.encode() for row in rows], object).reshape(-1, 1))
    return pb_utils.Tensor(name, np.array(rows, dtype))


def texts(responses):
    return [[tensor.as_numpy().tolist() for tensor in response.output_tensors()] for response in responses]


results = []
for number, case in enumerate(json.load(sys.stdin)):
    models = {name: load(path, f"{number}_{name}") for name, path in case["models"].items()}
    inputs = [tensor(*each) for each in case["inputs"]]
    requests = [Request(inputs, case["outputs"])]
    answers = {name: texts(model.execute(requests)) for name, model in models.items()}
    times = {name: [] for name in models}
    for _ in range(int(sys.argv[2])):
        for name, model in models.items():
            start = time.perf_counter()
            for _ in range(case["calls"]):
                model.execute(requests)
            times[name].append((time.perf_counter() - start) / case["calls"] / case["rows"])
    names = list(answers)
    results.append(
        {
            "same": all(answers[name] == answers[names[0]] for name in names),
            "times": {name: {"median": median(each), "min": min(each)} for name, each in times.items()},
        }
    )
print(json.dumps(results))
