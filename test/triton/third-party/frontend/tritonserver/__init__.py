"""The part of Triton's in-process bindings that its OpenAI frontend calls, over gRPC.

They are not on PyPI. This module forwards to the running Triton in `TRITYPE_TRITON`: its gRPC and metrics addresses.
"""

import ctypes
import enum
import os
import types
import urllib.request

import numpy as np
import tritonclient.grpc
import tritonclient.grpc.aio
from tritonclient.utils import np_to_triton_dtype, serialize_byte_tensor

grpc, metrics = os.environ.get("TRITYPE_TRITON", "-,-").split(",")


class TritonError(Exception):
    pass


class InvalidArgumentError(TritonError):
    pass


class ModelControlMode(enum.Enum):
    NONE = 0
    POLL = 1
    EXPLICIT = 2


DataType = enum.Enum("DataType", ["BYTES", "INT32", "UINT32"])


class Tensor:
    def __init__(self, values):
        is_text = values.dtype == np.object_
        self.data_type = DataType["BYTES" if is_text else np_to_triton_dtype(values.dtype)]
        self.shape = values.shape
        bytes_of_values = serialize_byte_tensor(values).item() if is_text else values.tobytes()
        self.size = len(bytes_of_values)
        self.buffer = ctypes.create_string_buffer(bytes_of_values, max(self.size, 1))
        self.data_ptr = ctypes.addressof(self.buffer)


class InferenceResponse:
    def __init__(self, result):
        response = result.get_response()
        self.outputs = {output.name: Tensor(result.as_numpy(output.name)) for output in response.outputs}
        self.final = response.parameters["triton_final_response"].bool_param


_api = types.SimpleNamespace(_response=types.SimpleNamespace(InferenceResponse=InferenceResponse))


class Model:
    def __init__(self, name):
        self.name = name
        self.version = 1

    def config(self):
        with tritonclient.grpc.InferenceServerClient(grpc) as client:
            config = client.get_model_config(self.name, as_json=True)["config"]
        return {"backend": "", "platform": "", "input": [], **config}

    def create_request(self, inputs):
        return [self.input(name, values) for name, values in inputs.items()]

    def input(self, name, values):
        array = values if isinstance(values, np.ndarray) else np.array(values, np.object_)
        made = tritonclient.grpc.InferInput(name, list(array.shape), np_to_triton_dtype(array.dtype))
        made.set_data_from_numpy(array)
        return made

    async def async_infer(self, inputs):
        async def requests():
            yield {"model_name": self.name, "inputs": inputs, "enable_empty_final_response": True}

        async with tritonclient.grpc.aio.InferenceServerClient(grpc) as client:
            async for result, error in client.stream_infer(requests()):
                if error is not None:
                    raise TritonError(error.message())
                yield InferenceResponse(result)


class Server:
    def __init__(self, **options):
        self.options = types.SimpleNamespace(**{"model_control_mode": ModelControlMode.NONE, **options})

    def start(self, wait_until_ready):
        return self

    def stop(self):
        pass

    def ready(self):
        with tritonclient.grpc.InferenceServerClient(grpc) as client:
            return client.is_server_ready()

    def metrics(self):
        return urllib.request.urlopen(f"http://{metrics}/metrics").read().decode()

    def models(self, exclude_not_ready):
        with tritonclient.grpc.InferenceServerClient(grpc) as client:
            found = client.get_model_repository_index(as_json=True)["models"]
        return {(model["name"], 1): model for model in found if model.get("state") == "READY"}

    def model(self, name):
        return Model(name)
