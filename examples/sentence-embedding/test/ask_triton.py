"""Embeds texts on a running Triton with the official clients, in requests of 30.

ask_triton.py HTTP_ADDRESS GRPC_ADDRESS < texts.json > {"http": vectors, "grpc": vectors}
"""

import json
import sys

import numpy as np
import tritonclient.grpc
import tritonclient.http

ROWS = 30


def embed(module, address, texts):
    client = module.InferenceServerClient(address)
    rows = []
    for start in range(0, len(texts), ROWS):
        text = np.array([[t.encode()] for t in texts[start : start + ROWS]], np.object_)
        infer_input = module.InferInput("text", list(text.shape), "BYTES")
        infer_input.set_data_from_numpy(text)
        answer = client.infer("embed", [infer_input], outputs=[module.InferRequestedOutput("embedding")])
        rows += answer.as_numpy("embedding").tolist()
    client.close()
    return rows


def main(http, grpc):
    texts = json.loads(sys.stdin.buffer.read())
    answers = {
        "http": embed(tritonclient.http, http, texts),
        "grpc": embed(tritonclient.grpc, grpc, texts),
    }
    json.dump(answers, sys.stdout)


main(*sys.argv[1:])
