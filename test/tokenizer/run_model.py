"""Runs a model.py in plain CPython: reads one job per line as JSON from stdin, and prints one list of answers per line.

Arguments: the folder of the `triton_python_backend_utils` to use.
"""

import base64
import hashlib
import importlib.util
import json
import sys

sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402
import triton_python_backend_utils as pb_utils  # noqa: E402
from tritype_child.late_members import LATE_MEMBERS  # noqa: E402


def load(folder, config):
    spec = importlib.util.spec_from_file_location("model", f"{folder}/model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(pb_utils).update(LATE_MEMBERS)
    model = module.TritonPythonModel()
    model.initialize({"model_config": json.dumps(config), "model_name": config["name"]})
    return model


def request(job, inputs):
    tensors = []
    for name, rows in inputs.items():
        if rows and isinstance(rows[0], list):
            values = np.array([[int(id) for id in row] for row in rows], dtype=np.int64)
        else:
            values = np.empty((len(rows), 1), dtype=np.object_)
            values[:, 0] = [base64.b64decode(row) for row in rows]
        tensors.append(pb_utils.Tensor(name, values))
    return pb_utils.InferenceRequest("", 0, tensors, job["outputs"], job["config"]["name"])


def answer(response):
    if response.has_error():
        return {"code": response.error().code().name, "message": response.error().message()}
    return {tensor.name(): described(tensor.as_numpy()) for tensor in response.output_tensors()}


def described(array):
    if array.dtype == np.object_:
        texts = [text.decode("utf-8") for text in array.reshape(-1)]
        return {"dtype": "BYTES", "shape": list(array.shape), "head": texts, "sha256": ""}
    return {
        "dtype": array.dtype.name.upper(),
        "shape": list(array.shape),
        "head": array.reshape(-1)[:40].tolist(),
        "sha256": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest(),
    }


for line in sys.stdin:
    job = json.loads(line)
    responses = load(job["folder"], job["config"]).execute([request(job, it) for it in job["requests"]])
    print(json.dumps([answer(response) for response in responses]), flush=True)
