"""Prints the label of each text and its probability: client.py --triton_address HOST:PORT TEXT…"""

from argparse import ArgumentParser

import numpy as np
import tritonclient.grpc as grpcclient

parser = ArgumentParser()
parser.add_argument("--triton_address", default="localhost:8001")
parser.add_argument("texts", nargs="+")
arguments = parser.parse_args()

client = grpcclient.InferenceServerClient(arguments.triton_address)
texts = np.array([[text.encode("utf-8")] for text in arguments.texts], dtype=np.object_)
query = grpcclient.InferInput("TEXT", texts.shape, "BYTES")
query.set_data_from_numpy(texts)
answer = client.infer(model_name="sentiment_ensemble", inputs=[query])
for label, score in zip(answer.as_numpy("LABEL")[:, 0], answer.as_numpy("SCORE")[:, 0]):
    print(label.decode("utf-8"), f"{score:.3f}")
