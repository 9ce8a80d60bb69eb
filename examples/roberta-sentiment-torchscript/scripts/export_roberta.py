"""Exports a RoBERTa classifier as TorchScript and as ONNX, both from the same weights, with the tokenizer and the labels:

    python scripts/export_roberta.py cardiffnlp/twitter-roberta-base-sentiment assets/roberta

The model is a name on the Hugging Face Hub or a folder. Needs torch, transformers and, with PyTorch 2, onnx. Both files take input_ids and
attention_mask INT64[batch, seq] and return logits FP32[batch, labels], for batches and texts of any size: the script runs each file on sizes
that differ from those of the trace.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Logits(torch.nn.Module):
    """Wraps `forward`: positional arguments instead of keywords, and a single tensor instead of a record as the result."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def main(name, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model = AutoModelForSequenceClassification.from_pretrained(name, attn_implementation="eager").eval()
    AutoTokenizer.from_pretrained(name).save_pretrained(folder)
    module = Logits(model)
    with torch.no_grad():
        traced = torch.jit.trace(module, tokens(model, 2, 9))
        for rows, length in ((1, 3), (5, 40)):
            given = tokens(model, rows, length)
            torch.testing.assert_close(traced(*given), module(*given), rtol=1e-4, atol=1e-5)
        traced.save(str(folder / "model.pt"))
        axes = {0: "batch", 1: "seq"}
        torch.onnx.export(
            module,
            tokens(model, 2, 9),
            str(folder / "model.onnx"),
            opset_version=17,
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": {0: "batch"}},
            **({"dynamo": False} if torch.__version__ >= "2.5" else {}),
        )
    labels = [model.config.id2label[index] for index in range(model.config.num_labels)]
    print(f"{folder}/model.pt, {folder}/model.onnx; labels in order: {', '.join(labels)}")


def tokens(model, rows, length):
    """Random ids other than the padding id. In every row except the first, the last third is padding."""
    pad = model.config.pad_token_id
    ids = torch.arange(rows * length).reshape(rows, length) % (model.config.vocab_size - pad - 1) + pad + 1
    mask = torch.ones_like(ids)
    mask[1:, length - length // 3 :] = 0
    return ids.masked_fill(mask == 0, pad), mask


if __name__ == "__main__":
    main(*sys.argv[1:])
