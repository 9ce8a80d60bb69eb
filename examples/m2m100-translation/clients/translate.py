"""Translates texts, with NVIDIA's client: python clients/translate.py localhost:8000 en de "one hundred and twenty-three" ["more texts" …]

Needs `pip install "tritonclient[http]"`. Prints one line per text.
"""

import sys

import numpy as np
import tritonclient.http


def translate(client, texts, source, target):
    columns = {
        "text": texts,
        "source_language": [source] * len(texts),
        "target_language": [target] * len(texts),
    }
    inputs = []
    for name, column in columns.items():
        tensor = tritonclient.http.InferInput(name, [len(column), 1], "BYTES")
        tensor.set_data_from_numpy(np.array([[value.encode()] for value in column], np.object_))
        inputs.append(tensor)
    answer = client.infer("translate", inputs)
    return [value.decode() for value in answer.as_numpy("translation")[:, 0]]


if __name__ == "__main__":
    address, source, target, *texts = sys.argv[1:]
    for translation in translate(tritonclient.http.InferenceServerClient(address), texts, source, target):
        print(translation)
