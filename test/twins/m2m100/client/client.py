"""Prints the translation of each text: client.py --source en --target de [--triton_address HOST:PORT] TEXT…"""

from argparse import ArgumentParser

import numpy as np
import tritonclient.grpc as grpcclient

parser = ArgumentParser()
parser.add_argument("--triton_address", default="localhost:8001")
parser.add_argument("--source", required=True)
parser.add_argument("--target", required=True)
parser.add_argument("texts", nargs="+")
arguments = parser.parse_args()


def column(name, texts):
    values = np.array([[text.encode("utf-8")] for text in texts], dtype=np.object_)
    tensor = grpcclient.InferInput(name, values.shape, "BYTES")
    tensor.set_data_from_numpy(values)
    return tensor


client = grpcclient.InferenceServerClient(arguments.triton_address)
answer = client.infer(
    model_name="m2m100_ensemble",
    inputs=[
        column("TEXT", arguments.texts),
        column("SOURCE_LANGUAGE", [arguments.source] * len(arguments.texts)),
        column("TARGET_LANGUAGE", [arguments.target] * len(arguments.texts)),
    ],
)
for text in answer.as_numpy("TRANSLATION")[:, 0]:
    print(text.decode("utf-8"))
