"""Prints one vector per text, with NVIDIA's client: python clients/embed.py localhost:8000 "what causes covid" ["more texts" …]

Needs `pip install "tritonclient[http]"`. The output is a JSON list of vectors.
"""

import json
import sys

import numpy as np
import tritonclient.http


def embed(address, texts):
    client = tritonclient.http.InferenceServerClient(address)
    text = tritonclient.http.InferInput("text", [len(texts), 1], "BYTES")
    text.set_data_from_numpy(np.array([[t.encode()] for t in texts], np.object_))
    answer = client.infer("embed", [text])
    return answer.as_numpy("embedding").tolist()


if __name__ == "__main__":
    address, *texts = sys.argv[1:]
    json.dump(embed(address, texts), sys.stdout)
