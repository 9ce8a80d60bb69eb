"""Sends invalid requests through the official clients and prints the errors that a user sees, as JSON: ask.py HTTP GRPC."""

import concurrent.futures
import json
import queue
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.http as http

http_address, grpc_address = sys.argv[1:]
over_http = http.InferenceServerClient(http_address, concurrency=8)
over_grpc = grpc.InferenceServerClient(grpc_address)
row = np.array([1, 2], np.float32)


def tensor(kind, name, array, dtype, shape=None):
    made = kind.InferInput(name, list(array.shape) if shape is None else shape, dtype)
    made.set_data_from_numpy(array)
    return made


def ask(client, kind, model, array=row, dtype="FP32", name="X", shape=None, outputs=None, **options):
    wanted = None if outputs is None else [kind.InferRequestedOutput(output) for output in outputs]
    return client.infer(model, [tensor(kind, name, array, dtype, shape)], outputs=wanted, **options)


def g(model, *args, **options):
    return lambda: ask(over_grpc, grpc, model, *args, **options)


def h(model, *args, **options):
    return lambda: ask(over_http, http, model, *args, **options)


def each_its_own(model, *args, **options):
    """Creates a client for each call, because the HTTP client belongs to one thread."""
    return lambda: ask(http.InferenceServerClient(http_address), http, model, *args, **options)


def together(ask_one):
    def run():
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            futures = [pool.submit(ask_one) for _ in range(6)]
            problems = [future.exception() for future in futures]
        raise next(problem for problem in problems if problem is not None)

    return run


def streamed(model, array=row, **options):
    def run():
        answers = queue.Queue()
        client = grpc.InferenceServerClient(grpc_address)
        client.start_stream(lambda result, error: answers.put(error))
        client.async_stream_infer(model, [tensor(grpc, "X", array, "FP32")], **options)
        error = answers.get(timeout=20)
        client.stop_stream()
        if error is not None:
            raise error

    return run


def small_client():
    options = [("grpc.max_send_message_length", 1000), ("grpc.max_receive_message_length", 1000)]
    return grpc.InferenceServerClient(grpc_address, channel_args=options)


def too_large():
    return small_client().infer("echo_fp32", [tensor(grpc, "X", np.zeros((1, 5000), np.float32), "FP32")])


def too_large_answer():
    options = [("grpc.max_receive_message_length", 1000)]
    client = grpc.InferenceServerClient(grpc_address, channel_args=options)
    return client.infer("echo_fp32", [tensor(grpc, "X", np.zeros((1, 5000), np.float32), "FP32")])


def data(array, dtype, shape):
    return lambda: http.InferInput("X", shape, dtype).set_data_from_numpy(array)


def no_data():
    return over_grpc.infer("odd_target", [grpc.InferInput("X", [2], "FP32")])


text = np.array([b"a"], np.object_)
cases = {
    "gRPC: unknown model": g("nope"),
    "gRPC: unknown version": g("odd_target", model_version="9"),
    "gRPC: bad version": g("odd_target", model_version="latest"),
    "gRPC: wrong input": g("odd_target", name="Z"),
    "gRPC: wrong dtype": g("odd_target", row.astype(np.int32), "INT32"),
    "gRPC: wrong shape": g("odd_target", np.zeros(3, np.float32)),
    "gRPC: no batch dim": g("batched", row),
    "gRPC: wrong output": g("odd_target", outputs=["Z"]),
    "gRPC: no data": no_data,
    "gRPC: decoupled": g("stream"),
    "gRPC: too large a request": too_large,
    "gRPC: too large an answer": too_large_answer,
    "gRPC: client timeout": g("sleepy", client_timeout=0.2),
    "gRPC: nobody listens": lambda: ask(grpc.InferenceServerClient("127.0.0.1:9"), grpc, "odd"),
    "gRPC: an HTTP port": lambda: ask(grpc.InferenceServerClient(http_address), grpc, "odd", client_timeout=5),
    "gRPC: no such host": lambda: ask(grpc.InferenceServerClient("no-such-host.invalid:8001"), grpc, "odd"),
    "gRPC: TLS to a plain port": lambda: ask(grpc.InferenceServerClient(grpc_address, ssl=True), grpc, "odd", client_timeout=5),
    "gRPC: load without explicit mode": lambda: over_grpc.load_model("odd"),
    "gRPC: shared memory": lambda: over_grpc.register_system_shared_memory("region", "/no_such_region", 16),
    "gRPC: stream of an unknown model": streamed("nope"),
    "gRPC: stream with a wrong shape": streamed("stream", np.zeros(3, np.float32)),
    "gRPC: decoupled model that returns a list": streamed("listing"),
    "gRPC: sequence without an id": g("seq", row.reshape(1, 2)),
    "gRPC: sequence without a start": g("seq", row.reshape(1, 2), sequence_id=7),
    "gRPC: sequence of batches": g("seq", np.zeros((2, 2), np.float32), sequence_id=8, sequence_start=True),
    "gRPC: queue full": together(g("slow", row.reshape(1, 2))),
    "gRPC: reserved parameter": g("odd_target", parameters={"triton_x": 1}),
    "HTTP: unknown model": h("nope"),
    "HTTP: wrong dtype": h("odd_target", row.astype(np.int32), "INT32"),
    "HTTP: no batch dim": h("batched", row),
    "HTTP: decoupled": h("stream"),
    "HTTP: sequence without an id": h("seq", row.reshape(1, 2)),
    "HTTP: sequence without a start": h("seq", row.reshape(1, 2), sequence_id=9),
    "HTTP: sequence of batches": h("seq", np.zeros((2, 2), np.float32), sequence_id=10, sequence_start=True),
    "HTTP: queue full": together(each_its_own("slow", row.reshape(1, 2))),
    "HTTP: timeout in the queue": together(each_its_own("slow", row.reshape(1, 2), timeout=1000)),
    "HTTP: nobody listens": lambda: ask(http.InferenceServerClient("127.0.0.1:9"), http, "odd"),
    "HTTP: a gRPC port": lambda: ask(http.InferenceServerClient(grpc_address), http, "odd"),
    "HTTP: client timeout": lambda: ask(
        http.InferenceServerClient(http_address, network_timeout=0.2), http, "sleepy"
    ),
    "HTTP: no such host": lambda: ask(http.InferenceServerClient("no-such-host.invalid:8000"), http, "odd"),
    "HTTP: a URL with a scheme": lambda: http.InferenceServerClient("http://127.0.0.1:8000"),
    "client: dtype of the config": data(row, "TYPE_FP32", [2]),
    "client: other dtype": data(row, "INT64", [2]),
    "client: other shape": data(row, "FP32", [1, 2]),
    "client: -1 in a shape": lambda: over_http.infer("odd_target", [http.InferInput("X", [-1], "FP32").set_data_from_numpy(row)]),
    "client: no array": data([1, 2], "FP32", [2]),
    "client: output that is not there": lambda: ask(over_http, http, "odd_target").as_numpy("Z").shape,
    "client: shared memory": lambda: over_http.register_system_shared_memory("region", "/no_such_region", 16),
    "client: unknown region": lambda: over_http.get_system_shared_memory_status("region"),
    "python: stub quits": g("quits"),
    **{f"python: odd {code}": g("odd", np.array([code, 0], np.float32)) for code in range(14)},
    "ensemble: subset of outputs": h("shares", outputs=["MID"]),
    "ensemble: a step without its output": h("lacks"),
    "ensemble: a step of another dtype": h("mistypes"),
    "ensemble: a step of another shape": h("lengthens"),
    "ensemble: batch of a step without batches": h("batches", np.zeros((3, 2), np.float32)),
    "ensemble: an output that is never made": h("loses"),
    "ensemble: a step that raises": h("inside", np.array([10, 0], np.float32)),
    "onnx: index out of range": h("table", np.array([9], np.int64), "INT64"),
    "onnx: a size other than the graph's": h("fixed", np.zeros(3, np.float32)),
    "onnx: no reshape": h("reshape", np.zeros(3, np.float32)),
}


def answer(case):
    try:
        case()
        return ""
    except Exception as error:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"


print(json.dumps({name: answer(case) for name, case in cases.items()}))
