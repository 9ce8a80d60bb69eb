"""Sends requests through the official client and prints the results as JSON: query.py http|grpc URL."""

import hashlib
import json
import sys

import numpy as np
from tritonclient.utils import InferenceServerException

protocol, url = sys.argv[1:]
if protocol == "http":
    import tritonclient.http as tc
else:
    import tritonclient.grpc as tc

client = tc.InferenceServerClient(url)
http = protocol == "http"
row = np.array([[1, 2]], np.float32)
other = np.array([[0.5, -3]], np.float32)


def tensor(name, array, dtype, shape=None, **options):
    made = tc.InferInput(name, list(array.shape) if shape is None else shape, dtype)
    made.set_data_from_numpy(array, **options)
    return made


def wanted(name, **options):
    return tc.InferRequestedOutput(name, **options)


def infer(model, inputs, **options):
    result = client.infer(model, inputs, **options)
    response = result.get_response() if http else result.get_response(as_json=True)
    outputs = response["outputs"]
    return {
        "model": response["model_name"],
        "version": response["model_version"],
        "id": response.get("id", ""),
        "outputs": {
            port["name"]: [port["datatype"], [int(dim) for dim in port["shape"]], plain(result.as_numpy(port["name"]))]
            for port in sorted(outputs, key=lambda port: port["name"])
        },
    }


def plain(array):
    if array.dtype == np.object_:
        return [value.decode() if isinstance(value, bytes) else value for value in array.reshape(-1)]
    if array.size > 1000:
        return hashlib.sha256(array.tobytes()).hexdigest()
    return array.astype(str).tolist() if array.dtype.itemsize == 8 else array.tolist()


def pair(a=row, b=other, dtype="FP32", **options):
    return [tensor("A", a, dtype, **options), tensor("B", b, dtype, **options)]


def batch(rows):
    return np.arange(rows * 2, dtype=np.float32).reshape(rows, 2)


def echo(array, dtype, **options):
    return infer("echo_" + dtype.lower(), [tensor("X", array, dtype)], **options)


def server_name():
    metadata = client.get_server_metadata()
    return metadata["name"] if http else metadata.name


def metadata(model, version=""):
    return client.get_model_metadata(model, version) if http else grpc_metadata(model, version)


def grpc_metadata(model, version):
    message = client.get_model_metadata(model, version, as_json=True)
    for port in message["inputs"] + message["outputs"]:
        port["shape"] = [int(dim) for dim in port["shape"]]
    return message


def config(model):
    if http:
        found = client.get_model_config(model)
        return [found["name"], found["max_batch_size"], [port["name"] for port in found["input"]]]
    found = client.get_model_config(model).config
    return [found.name, found.max_batch_size, [port.name for port in found.input]]


def waited():
    if http:
        return infer_result(client.async_infer("sum", pair()).get_result())
    return infer_result(client.infer("sum", pair()))


def infer_result(result):
    return [plain(result.as_numpy(name)) for name in ("SUM", "DIFF")]


def compressed(request, response):
    if not http:
        return infer("sum", pair(), compression_algorithm=request)
    return infer("sum", pair(), request_compression_algorithm=request, response_compression_algorithm=response)


options = {"binary_data": False} if http else {}
words = np.array([["", "日本", "a b"]], np.object_)
cases = {
    "live": client.is_server_live,
    "ready": client.is_server_ready,
    "the server's name": server_name,
    "metadata": lambda: metadata("sum"),
    "metadata of a version": lambda: metadata("sum", "1"),
    "metadata of an ensemble": lambda: metadata("sum_twice"),
    "metadata of a wrong model": lambda: metadata("nope"),
    "config": lambda: config("sum"),
    "config of a wrong model": lambda: config("nope"),
    "model ready": lambda: client.is_model_ready("sum"),
    "version ready": lambda: client.is_model_ready("sum", "1"),
    "wrong model ready": lambda: client.is_model_ready("nope"),
    "wrong version ready": lambda: client.is_model_ready("sum", "7"),
    "binary": lambda: infer("sum", pair(), outputs=[wanted("SUM"), wanted("DIFF")]),
    "JSON": lambda: infer("sum", pair(**options), outputs=[wanted("SUM", **options), wanted("DIFF", **options)]),
    "JSON in, binary out": lambda: infer("sum", pair(**options), outputs=[wanted("SUM"), wanted("DIFF", **options)]),
    "all outputs": lambda: infer("sum", pair()),
    "one output": lambda: infer("sum", pair(), outputs=[wanted("DIFF")]),
    "an id": lambda: infer("sum", pair(), request_id="my 1. request"),
    "a version": lambda: infer("sum", pair(), model_version="1"),
    "a wrong version": lambda: infer("sum", pair(), model_version="7"),
    "parameters": lambda: infer("sum", pair(), parameters={"note": "x", "count": 3, "exact": True}),
    "a priority and a timeout": lambda: infer("sum", pair(), priority=1, timeout=5_000_000),
    "a reserved parameter": lambda: infer("sum", pair(), parameters={"priority": 1}),
    "gzip in": lambda: compressed("gzip", None),
    "deflate in": lambda: compressed("deflate", None),
    "gzip in and out": lambda: compressed("gzip", "gzip"),
    "deflate in and out": lambda: compressed("deflate", "deflate"),
    "not waiting": waited,
    "an ensemble": lambda: infer("sum_twice", pair(batch(4), batch(4) * 2)),
    "one output of an ensemble": lambda: infer("sum_twice", pair(), outputs=[wanted("SUM")]),
    "strings": lambda: echo(words, "BYTES"),
    "strings in JSON": lambda: infer(
        "echo_bytes", [tensor("X", words, "BYTES", **options)], outputs=[wanted("Y", **options)]
    ),
    "halves": lambda: echo(np.array([[1, -0.5]], np.float16), "FP16"),
    "booleans": lambda: echo(np.array([[True, False]]), "BOOL"),
    "large integers": lambda: echo(np.array([[2**63 - 1, -(2**63)]], np.int64), "INT64"),
    "unsigned integers": lambda: echo(np.array([[2**64 - 1]], np.uint64), "UINT64"),
    "no elements": lambda: echo(np.zeros((0, 2), np.int32), "INT32"),
    "a large tensor": lambda: echo(np.arange(100_000, dtype=np.int32).reshape(100, 1000) % 7, "INT32"),
    "a wrong model": lambda: infer("nope", pair()),
    "a wrong dtype": lambda: infer("sum", pair(row.astype(np.int32), other.astype(np.int32), "INT32")),
    "a wrong shape": lambda: infer("sum", pair(batch(3).reshape(2, 3), batch(3).reshape(2, 3))),
    "a wrong rank": lambda: infer("sum", pair(row.reshape(2), other.reshape(2))),
    "a wrong rank without a batch": lambda: infer("echo_int32", [tensor("X", np.zeros(3, np.int32), "INT32")]),
    "a batch too large": lambda: infer("sum", pair(batch(5), batch(5))),
    "a batch too large for an ensemble": lambda: infer("sum_twice", pair(batch(5), batch(5))),
    "different batches": lambda: infer("sum", pair(batch(1), batch(2))),
    "a missing input": lambda: infer("sum", pair()[:1]),
    "a wrong input": lambda: infer("sum", [pair()[0], tensor("C", row, "FP32")]),
    "a wrong output": lambda: infer("sum", pair(), outputs=[wanted("PRODUCT")]),
    "a failing model": lambda: infer("failing", [tensor("X", np.array([[1]], np.int32), "INT32")]),
    "a failing step": lambda: infer("failing_inside", [tensor("X", np.array([[2]], np.int32), "INT32")]),
    "a throwing model": lambda: infer("failing", [tensor("X", np.array([[0]], np.int32), "INT32")]),
    "classification": lambda: infer("sum", pair(), outputs=[wanted("SUM", class_count=1)]),
    "statistics": lambda: bool(client.get_inference_statistics("sum")),
    "the repository's index": lambda: bool(client.get_model_repository_index()),
}


def answer(case):
    try:
        return case()
    except InferenceServerException as error:
        return {"status": error.status(), "error": error.message()}


print(json.dumps({name: answer(case) for name, case in cases.items()}))
