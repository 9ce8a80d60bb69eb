"""Controls a server's models through the official client and prints the results as JSON: control.py http|grpc URL."""

import json
import sys
import time

import numpy as np
from tritonclient.utils import InferenceServerException

protocol, url = sys.argv[1:]
if protocol == "http":
    import tritonclient.http as tc
else:
    import tritonclient.grpc as tc

client = tc.InferenceServerClient(url)
config = {
    "backend": "python",
    "input": [{"name": "X", "data_type": "TYPE_FP32", "dims": [1]}],
    "output": [{"name": "Y", "data_type": "TYPE_FP32", "dims": [1]}],
    "parameters": {"amount": {"string_value": "5"}},
}
model_py = open(sys.argv[0].replace("control.py", "control_model.py"), "rb").read()


def ask(model):
    tensor = tc.InferInput("X", [1], "FP32")
    tensor.set_data_from_numpy(np.zeros(1, np.float32))
    return client.infer(model, [tensor]).as_numpy("Y").tolist()


def index():
    for _ in range(500):
        found = client.get_model_repository_index()
        models = found if protocol == "http" else found.models
        rows = [read(row) for row in models]
        if all(row[2] != "UNLOADING" for row in rows):
            return rows
        time.sleep(0.02)
    return rows


def read(row):
    if protocol == "http":
        return [row["name"], row.get("version", ""), row.get("state", ""), row.get("reason", "")]
    return [row.name, row.version, row.state, row.reason]


def attempt(step):
    try:
        return step()
    except InferenceServerException as error:
        return [error.status(), error.message()]


print(
    json.dumps(
        [
            attempt(step)
            for step in [
                index,
                lambda: client.load_model("a"),
                lambda: client.is_model_ready("a"),
                lambda: ask("a"),
                lambda: client.load_model("a", config=json.dumps(config)),
                lambda: ask("a"),
                lambda: client.load_model("made", config=json.dumps(config), files={"file:1/model.py": model_py}),
                lambda: ask("made"),
                lambda: client.load_model("made", files={"file:1/model.py": model_py}),
                lambda: client.unload_model("a"),
                lambda: client.load_model("e"),
                lambda: ask("e"),
                index,
                lambda: client.unload_model("e", unload_dependents=True),
                index,
                lambda: client.unload_model("made"),
                lambda: client.is_model_ready("a"),
                lambda: ask("a"),
                lambda: client.load_model("nobody"),
                lambda: client.unload_model("nobody"),
                index,
            ]
        ]
    )
)
