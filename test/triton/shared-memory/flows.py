"""Uses shared memory through the official client as applications do, and prints the results as JSON: flows.py http|grpc URL PREFIX."""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tritonclient.utils.shared_memory as shm
from tritonclient.utils import InferenceServerException, serialize_byte_tensor, serialized_byte_size

protocol, url, prefix = sys.argv[1:]
if protocol == "http":
    import tritonclient.http as tc
else:
    import tritonclient.grpc as tc

client = tc.InferenceServerClient(url)
http = protocol == "http"
results = {}


def status():
    regions = client.get_system_shared_memory_status() if http else client.get_system_shared_memory_status(as_json=True)
    listed = regions if http else regions.get("regions", {}).values()
    return sorted([region["name"], region["key"], int(region["byte_size"])] for region in listed)


def clean():
    """Removes all regions, as nearly every example does first."""
    client.unregister_system_shared_memory()
    client.unregister_cuda_shared_memory()


def placed(name, shape, dtype, region, size, offset=0):
    made = tc.InferInput(name, shape, dtype)
    made.set_shared_memory(region, size, offset)
    return made


def into(name, region, size, offset=0):
    made = tc.InferRequestedOutput(name, **({"binary_data": True} if http else {}))
    made.set_shared_memory(region, size, offset)
    return made


def described(result, name):
    output = result.get_output(name)
    if http:
        return [output["datatype"], output["shape"], "data" in output or "parameters" in output]
    return [output.datatype, [int(dim) for dim in output.shape], len(output.contents.SerializeToString()) > 0]


def attempt(name, flow):
    clean()
    try:
        results[name] = flow()
    except InferenceServerException as error:
        results[name] = {"status": error.status(), "message": error.message()}


def two_numbers():
    """Inputs next to each other in one region, outputs in another."""
    a, b = np.array([[1, 2]], np.float32), np.array([[0.5, -3]], np.float32)
    size = a.nbytes
    inputs = shm.create_shared_memory_region("input_data", f"/{prefix}_input", 2 * size)
    outputs = shm.create_shared_memory_region("output_data", f"/{prefix}_output", 2 * size)
    try:
        shm.set_shared_memory_region(inputs, [a])
        shm.set_shared_memory_region(inputs, [b], offset=size)
        client.register_system_shared_memory("input_data", f"/{prefix}_input", 2 * size)
        client.register_system_shared_memory("output_data", f"/{prefix}_output", 2 * size)
        registered = status()
        result = client.infer(
            "sum",
            [
                placed("A", [1, 2], "FP32", "input_data", size),
                placed("B", [1, 2], "FP32", "input_data", size, size),
            ],
            outputs=[into("SUM", "output_data", size), into("DIFF", "output_data", size, size)],
        )
        values = [
            shm.get_contents_as_numpy(outputs, np.float32, [1, 2], offset=place).tolist() for place in (0, size)
        ]
        seen = [described(result, name) for name in ("SUM", "DIFF")]
        client.unregister_system_shared_memory("input_data")
        return [registered, seen, values, status()]
    finally:
        clean()
        for region in (inputs, outputs):
            shm.destroy_shared_memory_region(region)


def strings():
    """BYTES elements are stored with their lengths in the region."""
    given = np.array([["one", "zwölf", ""]], dtype=np.object_)
    packed = serialize_byte_tensor(np.char.encode(given.astype(str), "utf-8").astype(np.object_))
    size = serialized_byte_size(packed)
    region = shm.create_shared_memory_region("strings", f"/{prefix}_strings", 2 * size)
    try:
        shm.set_shared_memory_region(region, [packed])
        client.register_system_shared_memory("strings", f"/{prefix}_strings", 2 * size)
        result = client.infer(
            "echo_bytes",
            [placed("X", [1, 3], "BYTES", "strings", size)],
            outputs=[into("Y", "strings", size, size)],
        )
        read = shm.get_contents_as_numpy(region, np.object_, [1, 3], offset=size)
        return [described(result, "Y"), [value.decode() for value in read.reshape(-1)]]
    finally:
        clean()
        shm.destroy_shared_memory_region(region)


def many_requests():
    """Ten simultaneous requests with separate places."""
    count, size = 10, 8
    region = shm.create_shared_memory_region("many", f"/{prefix}_many", 2 * count * size)
    try:
        for index in range(count):
            shm.set_shared_memory_region(region, [np.array([[index, index + 1]], np.int32)], offset=index * size)
        client.register_system_shared_memory("many", f"/{prefix}_many", 2 * count * size)
        clients = [tc.InferenceServerClient(url) for _ in range(count)]
        ask = lambda one, index: one.infer(
            "echo_int32",
            [placed("X", [1, 2], "INT32", "many", size, index * size)],
            outputs=[into("Y", "many", size, (count + index) * size)],
        )
        for index, one in enumerate(clients):
            ask(one, index)
        return shm.get_contents_as_numpy(region, np.int32, [count, 2], offset=count * size).tolist()
    finally:
        clean()
        shm.destroy_shared_memory_region(region)


def region_of_eight_bytes(flow):
    def run():
        region = shm.create_shared_memory_region("r", f"/{prefix}_eight", 8)
        try:
            client.register_system_shared_memory("r", f"/{prefix}_eight", 8)
            return flow()
        finally:
            clean()
            shm.destroy_shared_memory_region(region)

    return run


busy = f"/dev/shm/{prefix}_busy"
away = f"{busy}_away"


def while_in_use(act):
    """A request that takes half a second, an action while it runs, and then the rest of the flow."""

    def run():
        region = shm.create_shared_memory_region("busy", f"/{prefix}_busy", 16)
        try:
            shm.set_shared_memory_region(region, [np.array([[7, 8]], np.int32)])
            client.register_system_shared_memory("busy", f"/{prefix}_busy", 16)
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(
                    lambda: tc.InferenceServerClient(url).infer(
                        "slow", [placed("X", [1, 2], "INT32", "busy", 8)], outputs=[into("Y", "busy", 8, 8)]
                    )
                )
                time.sleep(0.25)
                acted = act()
                answer = described(asked.result(), "Y")
            return [acted, answer, shm.get_contents_as_numpy(region, np.int32, [1, 2], offset=8).tolist(), status()]
        finally:
            if os.path.exists(away):
                os.rename(away, busy)  # destroying a region removes its object
            clean()
            shm.destroy_shared_memory_region(region)

    return run


def unregister_busy(name):
    try:
        client.unregister_system_shared_memory(name)
        return "unregistered"
    except InferenceServerException as error:
        return error.message()


attempt("a region is unregistered while it is in use", while_in_use(lambda: unregister_busy("busy")))
attempt("all regions are unregistered while one is in use", while_in_use(lambda: unregister_busy("")))
attempt("the object of a region is removed while it is in use", while_in_use(lambda: os.rename(busy, away)))
attempt("two numbers", two_numbers)
attempt("strings", strings)
attempt("many requests", many_requests)
attempt("nothing is registered", lambda: [status(), client.get_system_shared_memory_status("q")])
attempt("an object that does not exist", lambda: client.register_system_shared_memory("r", f"/{prefix}_none", 8))
attempt(
    "a region twice",
    region_of_eight_bytes(lambda: client.register_system_shared_memory("r", f"/{prefix}_eight", 8)),
)
attempt(
    "a region that is too large",
    region_of_eight_bytes(lambda: client.register_system_shared_memory("s", f"/{prefix}_eight_", 9)),
)
attempt(
    "an output without room",
    region_of_eight_bytes(
        lambda: client.infer(
            "echo_int32", [placed("X", [1, 2], "INT32", "r", 8)], outputs=[into("Y", "r", 4, 4)]
        ).get_response()
    ),
)
attempt(
    "a tensor beyond the region",
    region_of_eight_bytes(lambda: client.infer("echo_int32", [placed("X", [1, 2], "INT32", "r", 8, 4)]).get_response()),
)
attempt("CUDA regions", lambda: client.get_cuda_shared_memory_status() if http else client.get_cuda_shared_memory_status(as_json=True))
print(json.dumps(results))
