"""Sends the calls from stdin (JSON) through the four official clients and prints each result: call.py HTTP_ADDRESS GRPC_ADDRESS, once or for several servers."""

import asyncio
import json
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.grpc.aio as grpc_aio
import tritonclient.http as http
import tritonclient.http.aio as http_aio
from tritonclient.utils import InferenceServerException, triton_to_np_dtype

servers = list(zip(sys.argv[1::2], sys.argv[2::2]))
calls = json.load(sys.stdin)


def given(tc, tensor):
    made = tc.InferInput(tensor["name"], tensor["shape"], tensor["datatype"])
    array = np.array(tensor["data"], dtype=triton_to_np_dtype(tensor["datatype"]))
    made.set_data_from_numpy(array.reshape(tensor["shape"]))
    return made


def arguments(tc, call):
    outputs = [tc.InferRequestedOutput(name) for name in call.get("outputs", [])]
    return {
        "model_name": call["model"],
        "inputs": [given(tc, tensor) for tensor in call["inputs"]],
        "outputs": outputs or None,
        "request_id": call.get("id", ""),
        "model_version": call.get("version", ""),
        "parameters": call.get("parameters"),
    }


def answer(result, is_http):
    response = result.get_response() if is_http else result.get_response(as_json=True)
    return {
        "model": response["model_name"],
        "version": response["model_version"],
        "id": response.get("id", ""),
        "outputs": {
            port["name"]: [port["datatype"], [int(dim) for dim in port.get("shape", [])], values(result.as_numpy(port["name"]))]
            for port in sorted(response.get("outputs", []), key=lambda port: port["name"])
        },
    }


def values(array):
    if array is None:
        return None
    flat = array.reshape(-1)
    if array.dtype == np.object_:
        return [value.decode(errors="backslashreplace") for value in flat]
    return [repr(value) for value in flat.tolist()]


def refused(error):
    return {"status": error.status(), "error": error.message()}


def ask(tc, address):
    client = tc.InferenceServerClient(address)
    answers = [client.is_server_live(), client.is_server_ready()]
    for call in calls:
        try:
            answers.append(answer(client.infer(**arguments(tc, call)), tc is http))
        except InferenceServerException as error:
            answers.append(refused(error))
    client.close()
    return answers


async def ask_aio(tc, address):
    client = tc.InferenceServerClient(address)
    answers = [await client.is_server_live(), await client.is_server_ready()]
    for call in calls:
        try:
            answers.append(answer(await client.infer(**arguments(tc, call)), tc is http_aio))
        except InferenceServerException as error:
            answers.append(refused(error))
    await client.close()
    return answers


print(
    json.dumps(
        [
            {
                "http": ask(http, http_address),
                "grpc": ask(grpc, grpc_address),
                "http.aio": asyncio.run(ask_aio(http_aio, http_address)),
                "grpc.aio": asyncio.run(ask_aio(grpc_aio, grpc_address)),
            }
            for http_address, grpc_address in servers
        ]
    )
)
