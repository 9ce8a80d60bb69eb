"""Uses a server through Triton's client as its example programs do: clients.py HTTP GRPC.

Prints the result of each case as a JSON object. Names of shared memory regions contain the process id.
"""

import asyncio
import json
import os
import queue
import sys
import tempfile
import time
import traceback

import grpc
import numpy as np
import tritonclient.grpc as grpcclient
import tritonclient.grpc.aio as grpcaio
import tritonclient.http as httpclient
import tritonclient.http.aio as httpaio
import tritonclient.utils.shared_memory as shm
from google.protobuf.json_format import MessageToDict
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException, deserialize_bytes_tensor, serialize_byte_tensor

HTTP, GRPC = sys.argv[1:3]
CASES = {}
MODULES = {"http": (httpclient, HTTP), "grpc": (grpcclient, GRPC)}


def case(function):
    CASES[function.__name__.replace("_", " ")] = lambda: function()
    return function


def for_both(function):
    for protocol, (module, address) in MODULES.items():
        name = f"{function.__name__.replace('_', ' ')}, {protocol}"
        CASES[name] = lambda module=module, address=address: function(module, address)
    return function


def refused(action):
    try:
        return f"not refused: {action()}"
    except InferenceServerException as error:
        return [error.status(), error.message()]


def numbers(dtype=np.int32):
    return np.arange(16, dtype=dtype).reshape(1, 16), np.ones((1, 16), dtype)


def tensors(module, arrays, dtype, names=("INPUT0", "INPUT1"), **options):
    made = []
    for name, array in zip(names, arrays):
        made.append(module.InferInput(name, list(array.shape), dtype))
        made[-1].set_data_from_numpy(array, **options)
    return made


def results(result, *names):
    return [plain(result.as_numpy(name)) for name in names or ("OUTPUT0", "OUTPUT1")]


def plain(array):
    if array is None:
        return None
    return [value.decode() if isinstance(value, bytes) else value for value in array.reshape(-1).tolist()]


def without_times(statistics):
    if isinstance(statistics, dict):
        times = ("ns", "last_inference")
        return {key: without_times(value) for key, value in statistics.items() if key not in times}
    return [without_times(value) for value in statistics] if isinstance(statistics, list) else str(statistics)


# Inference


@for_both
def sum_and_difference(module, address):
    with module.InferenceServerClient(address) as client:
        outputs = [module.InferRequestedOutput(name) for name in ("OUTPUT0", "OUTPUT1")]
        inputs = tensors(module, numbers(), "INT32")
        first = client.infer("simple", inputs, outputs=outputs, request_id="1", headers={"test": "1"}, timeout=5_000_000)
        second = client.infer("simple", inputs)
        unknown = refused(lambda: client.infer("wrong_model_name", inputs))
        return [results(first), results(second), first.get_output("OUTPUT1") is not None, unknown]


@for_both
def async_requests(module, address):
    inputs = tensors(module, numbers(), "INT32")
    if module is httpclient:
        with module.InferenceServerClient(address, concurrency=4) as client:
            handles = [client.async_infer("simple", inputs, request_id=str(i)) for i in range(8)]
            return [results(handle.get_result()) for handle in handles]
    answers = queue.Queue()
    with module.InferenceServerClient(address) as client:
        for _ in range(8):
            client.async_infer("simple", inputs, lambda result, error: answers.put(error or result))
        got = [results(answers.get(timeout=30)) for _ in range(8)]
        late = client.async_infer("repeat_int32", inputs, lambda result, error: answers.put(error or result))
        late.cancel()
        return [got, isinstance(answers.get(timeout=30), InferenceServerException)]


@for_both
def asyncio_requests(module, address):
    aio = httpaio if module is httpclient else grpcaio

    async def use():
        async with aio.InferenceServerClient(address) as client:
            inputs = tensors(module, numbers(), "INT32")
            got = await asyncio.gather(*(client.infer("simple", inputs) for _ in range(4)))
            ready = [await client.is_server_live(), await client.is_server_ready(), await client.is_model_ready("simple")]
            try:
                await client.infer("wrong_model_name", inputs)
                unknown = None
            except InferenceServerException as error:
                unknown = [error.status(), error.message()]
            return [[results(one) for one in got], ready, unknown]

    return asyncio.run(use())


@for_both
def texts(module, address):
    with module.InferenceServerClient(address) as client:
        a, b = (np.array([[str(n).encode() for n in row]], np.object_) for row in (range(16), [1] * 16))
        odd = np.array([[b"\x00", b"a\x00b", "ü".encode(), b""]], np.object_)
        return [
            results(client.infer("simple_string", tensors(module, (a, b), "BYTES"))),
            results(client.infer("simple_identity", tensors(module, (odd,), "BYTES")), "OUTPUT0"),
        ]


@for_both
def compressed_requests(module, address):
    text = {"binary_data": False} if module is httpclient else {}
    inputs = tensors(module, numbers(), "INT32", **text)
    options = ("request_compression_algorithm", "response_compression_algorithm") if text else ("compression_algorithm",)
    with module.InferenceServerClient(address) as client:
        return [
            results(client.infer("simple", inputs, **{option: name for option in options})) for name in ("gzip", "deflate")
        ]


@case
def a_deadline_that_has_passed():
    with grpcclient.InferenceServerClient(GRPC) as client:
        inputs = tensors(grpcclient, numbers(), "INT32")
        return refused(lambda: client.infer("simple", inputs, client_timeout=-1))


@case
def keepalive_and_channel_arguments():
    kept = grpcclient.KeepAliveOptions(
        keepalive_time_ms=10, keepalive_timeout_ms=500, keepalive_permit_without_calls=True, http2_max_pings_without_data=0
    )
    sizes = [("grpc.max_send_message_length", 2**20), ("grpc.lb_policy_name", "pick_first")]
    got = []
    for options in ({"keepalive_options": kept}, {"channel_args": sizes}):
        with grpcclient.InferenceServerClient(GRPC, **options) as client:
            got.append(results(client.infer("simple", tensors(grpcclient, numbers(), "INT32"))))
    return got


@for_both
def a_client_for_each_request(module, address):
    row = np.arange(16, dtype=np.int32).reshape(1, 16)
    right = 0
    for _ in range(60):
        with module.InferenceServerClient(address) as client:
            answer = client.infer("custom_identity_int32", tensors(module, (row,), "INT32"))
            right += np.array_equal(answer.as_numpy("OUTPUT0"), row)
    return right


# gRPC's generated code


def explicit(model, dtype, field, values, **more):
    request = service_pb2.ModelInferRequest(model_name=model, **more)
    for name, contents in zip(("INPUT0", "INPUT1"), values):
        tensor = request.inputs.add(name=name, datatype=dtype, shape=[1, 16])
        getattr(tensor.contents, field).extend(contents)
    for name in ("OUTPUT0", "OUTPUT1"):
        request.outputs.add(name=name)
    return request


@case
def explicit_contents():
    stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(GRPC))
    lists = (list(range(16)), [1] * 16)
    digits = [[str(number).encode() for number in numbers] for numbers in lists]

    def answered(request, dtype):
        answer = stub.ModelInfer(request)
        return [[port.name, np.frombuffer(raw, dtype).tolist()] for port, raw in zip(answer.outputs, answer.raw_output_contents)]

    def error_of(request):
        try:
            return f"not refused: {stub.ModelInfer(request)}"
        except grpc.RpcError as error:
            return [str(error.code()), error.details()]

    both = explicit("simple", "INT32", "int_contents", lists, raw_input_contents=[b"\0" * 32])
    short = explicit("simple", "INT32", "int_contents", (lists[0][:8], lists[1]))
    wrong = explicit("simple", "INT32", "int64_contents", lists)
    text = stub.ModelInfer(explicit("simple_string", "BYTES", "bytes_contents", digits))
    return [
        answered(explicit("simple", "INT32", "int_contents", lists), np.int32),
        answered(explicit("simple_int8", "INT8", "int_contents", lists), np.int8),
        [[port.name, plain(deserialize_bytes_tensor(raw))] for port, raw in zip(text.outputs, text.raw_output_contents)],
        [error_of(request) for request in (both, short, wrong)],
    ]


@case
def plain_stubs():
    stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(GRPC))
    request = service_pb2.ModelInferRequest(model_name="densenet_onnx", id="my request id")
    request.inputs.add(name="data_0", datatype="FP32", shape=[3, 224, 224])
    request.outputs.add(name="fc6_1")
    request.raw_input_contents.append(bytes(4 * 3 * 224 * 224))
    answer = stub.ModelInfer(request)
    return [
        stub.ServerLive(service_pb2.ServerLiveRequest()).live,
        stub.ServerReady(service_pb2.ServerReadyRequest()).ready,
        stub.ModelReady(service_pb2.ModelReadyRequest(name="densenet_onnx", version="1")).ready,
        MessageToDict(stub.ModelMetadata(service_pb2.ModelMetadataRequest(name="densenet_onnx", version="1"))),
        MessageToDict(answer.outputs[0]),
        np.frombuffer(answer.raw_output_contents[0], np.float32).round(4).tolist(),
    ]


# Health, metadata, statistics


@for_both
def health_and_metadata(module, address):
    json_answers = {} if module is httpclient else {"as_json": True}
    with module.InferenceServerClient(address) as client:
        server = client.get_server_metadata(**json_answers)
        index = client.get_model_repository_index(**json_answers)
        models = index if module is httpclient else index["models"]
        return [
            [client.is_server_live(), client.is_server_ready(), client.is_model_ready("simple", "1")],
            server["name"],
            [name for name in server["extensions"] if name != "cuda_shared_memory"],
            client.get_model_metadata("simple", **json_answers),
            sorted(model["name"] for model in models),
            refused(lambda: client.get_model_metadata("wrong_model_name")),
            refused(lambda: client.get_inference_statistics("simple", "7")),
        ]


@for_both
def statistics(module, address):
    json_answers = {} if module is httpclient else {"as_json": True}
    rows = np.zeros((3, 16), np.int8)
    with module.InferenceServerClient(address) as client:
        for count in (3, 1) if module is httpclient else ():
            client.infer("counted", tensors(module, (rows[:count], rows[:count]), "INT8"))
        # Triton counts a request only after it has answered.
        for _ in range(100):
            got = without_times(client.get_inference_statistics("counted", **json_answers))
            if got["model_stats"][0]["execution_count"] == "2":
                break
            time.sleep(0.05)
        return got


# Images


def pictures(count):
    return np.stack([np.full((32, 32, 3), [60 * n, 120, 250 - 60 * n], np.float32) for n in range(count)])


def classes(result, output):
    got = result.as_numpy(output)
    return [[text.decode() for text in row] if isinstance(row, np.ndarray) else row.decode() for row in got]


@for_both
def classification(module, address):
    with module.InferenceServerClient(address) as client:
        got = []
        for batch, count in ((1, 1), (2, 3), (4, 5)):
            wanted = [module.InferRequestedOutput("PROBABILITIES", class_count=count)]
            inputs = tensors(module, (pictures(batch),), "FP32", ["IMAGE"])
            got.append(classes(client.infer("images", inputs, outputs=wanted), "PROBABILITIES"))
        wanted = [module.InferRequestedOutput("fc6_1", class_count=2)]
        single = np.full((3, 224, 224), 90, np.float32)
        # Triton's HTTP frontend fails for bodies above 2 MB. This one has 602 kB.
        got.append(classes(client.infer("densenet_onnx", tensors(module, (single,), "FP32", ["data_0"]), outputs=wanted), "fc6_1"))
        return got


@case
def classification_over_a_stream():
    answers = queue.Queue()
    with grpcclient.InferenceServerClient(GRPC) as client:
        client.start_stream(lambda result, error: answers.put(error or result))
        wanted = [grpcclient.InferRequestedOutput("PROBABILITIES", class_count=2)]
        for number in range(4):
            inputs = tensors(grpcclient, (pictures(number + 1),), "FP32", ["IMAGE"])
            client.async_stream_infer("images", inputs, outputs=wanted, request_id=str(number))
        got = [answers.get(timeout=30) for _ in range(4)]
        return [[one.get_response().id, classes(one, "PROBABILITIES")] for one in got]


@for_both
def an_ensemble_of_files(module, address):
    with module.InferenceServerClient(address) as client:
        wanted = [module.InferRequestedOutput("OUTPUT", class_count=2)]
        files = np.array([[bytes(range(200)) * 20], [b"\xff\xd8" * 3000]], np.object_)
        got = [
            classes(client.infer("preprocess_inception_ensemble", tensors(module, (some,), "BYTES", ["INPUT"]), outputs=wanted), "OUTPUT")
            for some in (files[:1], files)
        ]
        empty = np.array([[b""]], np.object_)
        got.append(refused(lambda: client.infer("preprocess_inception_ensemble", tensors(module, (empty,), "BYTES", ["INPUT"]))) != "")
        return got


# Sequences and streams

VALUES = [11, 7, 5, 3, 2, 0, 1]


def steps(module, first, sign):
    values = [first, *(sign * value for value in VALUES)]
    for index, value in enumerate(values):
        inputs = tensors(module, (np.full((1, 1), value, np.int32),), "INT32", ["INPUT"])
        yield inputs, {"sequence_start": index == 0, "sequence_end": index == len(values) - 1}


def sequence_ids(module, model):
    offset = 3000 if module is httpclient else 2000
    texts = ["0b9f8c1e-7d6a-4e0c-9c55-52f1f3a6b7d8", "a text"] if model == "simple_sequence" else []
    return [offset + 1, offset + 2, *(text + str(offset) for text in texts)]


def sequences_of(model):
    def use(module, address):
        with module.InferenceServerClient(address) as client:
            ids = sequence_ids(module, model)
            got = {str(one): [] for one in ids}
            for step in zip(*(steps(module, 100 * n, (-1) ** n) for n, _ in enumerate(ids))):
                for sequence, (inputs, flags) in zip(ids, step):
                    answer = client.infer(model, inputs, sequence_id=sequence, **flags)
                    got[str(sequence)] += plain(answer.as_numpy("OUTPUT"))
            return [list(got.values()), refused(lambda: client.infer(model, inputs, sequence_id=ids[0]))]

    return use


for model in ("simple_sequence", "simple_dyna_sequence"):
    for protocol, (module, address) in MODULES.items():
        CASES[f"{model}, {protocol}"] = lambda model=model, module=module, address=address: sequences_of(model)(module, address)


def streamed(requests, count, **stream):
    answers = queue.Queue()
    with grpcclient.InferenceServerClient(GRPC) as client:
        client.start_stream(lambda result, error: answers.put(error or result), **stream)
        for arguments in requests:
            client.async_stream_infer(**arguments)
        return [answers.get(timeout=30) for _ in range(count)]


@case
def sequences_over_a_stream():
    got = {}
    for model in ("simple_sequence", "simple_dyna_sequence"):
        ids = [one if isinstance(one, str) else one + 100 for one in sequence_ids(grpcclient, model)]
        requests = [
            {"model_name": model, "inputs": inputs, "request_id": f"{n}_{i}", "sequence_id": sequence, **flags}
            for n, sequence in enumerate(ids)
            for i, (inputs, flags) in enumerate(steps(grpcclient, 100 * n, 1))
        ]
        answers = streamed(requests, len(requests))
        rows = sorted((one.get_response().id, plain(one.as_numpy("OUTPUT"))) for one in answers)
        got[model] = rows
    return got


@case
def sequences_over_an_asyncio_stream():
    async def use():
        async with grpcaio.InferenceServerClient(GRPC) as client:

            async def requests():
                for i, (inputs, flags) in enumerate(steps(grpcclient, 5, 1)):
                    yield {"model_name": "simple_sequence", "inputs": inputs, "request_id": str(i), "sequence_id": 4001, **flags}

            got = []
            async for result, error in client.stream_infer(requests(), stream_timeout=30):
                got.append(str(error) if error else [result.get_response().id, plain(result.as_numpy("OUTPUT"))])
            return got

    return asyncio.run(use())


def repeat(values, delay=10, wait=20):
    arrays = (np.array(values, np.int32), np.full(len(values), delay, np.uint32), np.array([wait], np.uint32))
    inputs = []
    for name, array in zip(("IN", "DELAY", "WAIT"), arrays):
        inputs.append(grpcclient.InferInput(name, list(array.shape), "INT32" if name == "IN" else "UINT32"))
        inputs[-1].set_data_from_numpy(array)
    return inputs


@case
def a_decoupled_model():
    values = list(range(100, 110))
    outputs = [grpcclient.InferRequestedOutput("OUT")]
    plain_answers = streamed([{"model_name": "repeat_int32", "inputs": repeat(values), "outputs": outputs}], 10)
    ended = streamed(
        [{"model_name": "repeat_int32", "inputs": repeat(values[:3]), "request_id": "e", "enable_empty_final_response": True}], 4
    )
    with grpcclient.InferenceServerClient(GRPC) as client:
        alone = refused(lambda: client.infer("repeat_int32", repeat([1])))
    return [
        [plain(one.as_numpy("OUT")) for one in plain_answers],
        [MessageToDict(one.get_response())["parameters"] for one in ended],
        alone,
    ]


@case
def errors_in_a_stream():
    inputs = tensors(grpcclient, numbers(), "INT32")
    requests = [{"model_name": name, "inputs": inputs, "request_id": name} for name in ("wrong_model_name", "simple")]
    got = streamed(requests, 2)
    ended = streamed(requests[:1], 1, headers={"triton_grpc_error": "true"})
    return [
        [one.message() if isinstance(one, InferenceServerException) else results(one) for one in got],
        [[one.status(), one.message()] for one in ended],
    ]


@case
def a_stream_that_exceeds_its_time_limit():
    got = streamed([{"model_name": "repeat_int32", "inputs": repeat([1, 2], 1500)}], 1, stream_timeout=0.5)
    # The client or the server ends it, whichever notices first; the message of Node's gRPC library has a small "e".
    return [[one.status(), one.message().replace("exceeded", "Exceeded")] for one in got]


@case
def a_stream_that_is_cancelled():
    answers = queue.Queue()
    client = grpcclient.InferenceServerClient(GRPC)
    client.start_stream(lambda result, error: answers.put(error or result))
    client.async_stream_infer("repeat_int32", repeat([1, 2], 1000))
    first = plain(answers.get(timeout=30).as_numpy("OUT"))
    client.stop_stream(cancel_requests=True)
    last = answers.get(timeout=30)
    return [first, last.status(), results(client.infer("simple", tensors(grpcclient, numbers(), "INT32")))]


# Shared memory, and the same objects for several requests


@for_both
def tensors_in_and_out_of_shared_memory(module, address):
    client = module.InferenceServerClient(address)
    size = 64
    names = [f"{side}{n}_{os.getpid()}_{module.__name__}" for side in ("in", "out") for n in (0, 1)]
    handles = [shm.create_shared_memory_region(name, f"/{name}", size) for name in names]
    try:
        for name in names:
            client.register_system_shared_memory(name, f"/{name}", size)
        inputs = [module.InferInput(f"INPUT{n}", [1, 16], "INT32") for n in (0, 1)]
        outputs = [module.InferRequestedOutput(f"OUTPUT{n}") for n in (0, 1)]
        a, b = numbers()
        got = []
        for turn in (1, 3):
            shm.set_shared_memory_region(handles[0], [a * turn])
            shm.set_shared_memory_region(handles[1], [b])
            for n in (0, 1):
                inputs[n].set_shared_memory(names[n], size)
                outputs[n].set_shared_memory(names[2 + n], size)
            client.infer("simple", inputs, outputs=outputs)
            got.append([plain(shm.get_contents_as_numpy(handle, np.int32, [1, 16])) for handle in handles[2:]])
            for tensor, array in zip(inputs, (a, b)):
                tensor.set_data_from_numpy(array)
            for output in outputs:
                output.unset_shared_memory()
            got.append(results(client.infer("simple", inputs, outputs=outputs)))
        for name in names:
            client.unregister_system_shared_memory(name)
        client.unregister_cuda_shared_memory()
        return got
    finally:
        client.unregister_system_shared_memory()
        for handle in handles:
            shm.destroy_shared_memory_region(handle)


@for_both
def strings_in_shared_memory(module, address):
    client = module.InferenceServerClient(address)
    texts = [serialize_byte_tensor(np.array([[str(n).encode() for n in row]], np.object_)) for row in (range(16), [1] * 16)]
    names = [f"text_{side}_{os.getpid()}_{module.__name__}" for side in ("in0", "in1", "out")]
    sizes = [len(text.item()) for text in texts] + [400]
    handles = [shm.create_shared_memory_region(name, f"/{name}", size) for name, size in zip(names, sizes)]
    try:
        for name, size in zip(names, sizes):
            client.register_system_shared_memory(name, f"/{name}", size)
        inputs = [module.InferInput(f"INPUT{n}", [1, 16], "BYTES") for n in (0, 1)]
        for n, text in enumerate(texts):
            shm.set_shared_memory_region(handles[n], [text])
            inputs[n].set_shared_memory(names[n], sizes[n])
        output = module.InferRequestedOutput("OUTPUT0")
        output.set_shared_memory(names[2], 400)
        answer = client.infer("simple_string", inputs, outputs=[output])
        port = answer.get_output("OUTPUT0")
        shape = port["shape"] if isinstance(port, dict) else list(port.shape)
        return plain(shm.get_contents_as_numpy(handles[2], np.object_, shape))
    finally:
        client.unregister_system_shared_memory()
        for handle in handles:
            shm.destroy_shared_memory_region(handle)


# Settings


@for_both
def log_and_trace_settings(module, address):
    answers = {} if module is httpclient else {"as_json": True}
    with module.InferenceServerClient(address) as client:
        before = client.get_log_settings(**answers)
        changed = client.update_log_settings({"log_verbose_level": 1}, **answers)
        client.update_log_settings({"log_verbose_level": 0})
        return [before, changed, client.get_trace_settings("simple", **answers)]


def main():
    told = {}
    for name, action in CASES.items():
        try:
            told[name] = action()
        except Exception:
            told[name] = traceback.format_exc(limit=-2)
    json.dump(told, sys.stdout, sort_keys=True)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
