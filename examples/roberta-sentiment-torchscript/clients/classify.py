"""Classifies texts, with NVIDIA's client over gRPC: python clients/classify.py localhost:8001 "I love you" ["more texts" …]

Needs `pip install "tritonclient[grpc]"`. Prints one line per text; without texts, it prints the models of the repository and their states.
"""

import sys

import numpy as np
import tritonclient.grpc


def classify(client, texts):
    text = tritonclient.grpc.InferInput("text", [len(texts), 1], "BYTES")
    text.set_data_from_numpy(np.array([[t.encode()] for t in texts], np.object_))
    answer = client.infer("sentiment", [text])
    return [
        (label.decode(), float(score))
        for label, score in zip(answer.as_numpy("label")[:, 0], answer.as_numpy("score")[:, 0])
    ]


if __name__ == "__main__":
    address, *texts = sys.argv[1:]
    client = tritonclient.grpc.InferenceServerClient(address)
    if texts:
        for text, (label, score) in zip(texts, classify(client, texts)):
            print(f"{label} {score:.3f} {text}")
    else:
        for model in client.get_model_repository_index().models:
            print(f"{model.name} {model.version} {model.state}")
