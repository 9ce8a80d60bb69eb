"""Embeds texts with only tokenizers, onnxruntime and numpy, one text at a time and without padding.

reference.py MODEL TOKENIZER < texts.json > vectors.json
"""

import json
import sys

import numpy as np
from onnxruntime import InferenceSession
from tokenizers import Tokenizer


def embed(session, tokenizer, text):
    encoding = tokenizer.encode(text)
    tensors = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    feed = {name: np.array([values], np.int64) for name, values in tensors.items()}
    [hidden] = session.run(["last_hidden_state"], feed)
    states = hidden[0].astype(np.float64)
    mask = feed["attention_mask"][0][:, None]
    mean = (states * mask).sum(axis=0) / mask.sum()
    return (mean / np.linalg.norm(mean)).tolist()


def main(model, tokenizer_file):
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    session = InferenceSession(model, providers=["CPUExecutionProvider"])
    texts = json.loads(sys.stdin.buffer.read())
    json.dump([embed(session, tokenizer, text) for text in texts], sys.stdout)


main(*sys.argv[1:])
