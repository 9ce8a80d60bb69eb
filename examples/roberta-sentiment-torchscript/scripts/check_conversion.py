"""Compares a TorchScript file, its ONNX stand-in and the served ensemble, on texts from standard input, one per line:

    python scripts/check_conversion.py model.pt model.onnx localhost:8001 < texts.txt

Needs torch, onnxruntime and `tritonclient[grpc]`. The server's `tokenize` model creates the tokens, so all three get the same ones. Texts run
alone and in batches. Exit code 1 if a logit or score differs by more than `--tolerance` or a label differs.
"""

import argparse
import sys

import numpy as np
import onnxruntime
import torch
import tritonclient.grpc

BATCHES = (1, 7, 32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("torchscript")
    parser.add_argument("onnx")
    parser.add_argument("address", help="the server's gRPC address")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    options = parser.parse_args()
    module = torch.jit.load(options.torchscript, map_location="cpu").eval()
    session = onnxruntime.InferenceSession(options.onnx, providers=["CPUExecutionProvider"])
    server = tritonclient.grpc.InferenceServerClient(options.address)
    texts = [line.rstrip("\n") for line in sys.stdin if line.strip()]

    alone = None
    worst = {"ONNX: logits": 0.0, "ensemble: scores": 0.0, "alone or in a batch: logits": 0.0}
    names = {}
    for size in BATCHES:
        logits = []
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            tokens = ask(server, "tokenize", batch)
            ids, mask = tokens.as_numpy("input_ids"), tokens.as_numpy("attention_mask")
            expected = run_torch(module, ids, mask)
            logits.extend(expected)
            keep(worst, "ONNX: logits", run_onnx(session, ids, mask), expected)
            answer = ask(server, "sentiment", batch)
            keep(worst, "ensemble: scores", answer.as_numpy("score")[:, 0], softmax(expected).max(axis=-1))
            for label, index in zip(answer.as_numpy("label")[:, 0], expected.argmax(axis=-1)):
                names.setdefault(int(index), set()).add(label.decode())
        alone = alone if alone is not None else logits
        keep(worst, "alone or in a batch: logits", np.stack(logits), np.stack(alone))

    print(f"{len(texts)} texts, in batches of {', '.join(map(str, BATCHES))}; largest difference from TorchScript:")
    for what, difference in worst.items():
        print(f"  {what:<30}{difference:.1e}  (at most {options.tolerance:.0e})")
    said = "; ".join(f"{index}: {', '.join(sorted(labels))}" for index, labels in sorted(names.items()))
    print(f"  labels of the largest logit   {said}")
    several = any(len(labels) > 1 for labels in names.values()) or len(set.union(*names.values())) < len(names)
    return 1 if several or max(worst.values()) > options.tolerance else 0


def ask(server, model, texts):
    text = tritonclient.grpc.InferInput("text", [len(texts), 1], "BYTES")
    text.set_data_from_numpy(np.array([[t.encode()] for t in texts], np.object_))
    return server.infer(model, [text])


def run_torch(module, ids, mask):
    with torch.no_grad():
        return module(torch.from_numpy(ids.copy()), torch.from_numpy(mask.copy())).numpy()


def run_onnx(session, ids, mask):
    return session.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]


def softmax(logits):
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponents / exponents.sum(axis=-1, keepdims=True)


def keep(worst, what, got, expected):
    worst[what] = max(worst[what], float(np.abs(got - expected).max()))


if __name__ == "__main__":
    sys.exit(main())
