"""Exports a checkpoint to four ONNX files, config.json, generation_config.json and tokenizer.json: `python export.py CHECKPOINT FOLDER`."""

import sys
from pathlib import Path

import debian_torch  # noqa: F401
from optimum.exporters.onnx import onnx_export_from_model
from tokenizer import save_tokenizer, train_tokenizer
from transformers import M2M100ForConditionalGeneration


def export(checkpoint: Path, folder: Path) -> None:
    model = M2M100ForConditionalGeneration.from_pretrained(checkpoint, attn_implementation="eager").eval()
    # Otherwise config.json would contain the path of the checkpoint.
    model.config._name_or_path = "number-words"
    onnx_export_from_model(model, folder, opset=17, task="text2text-generation-with-past")
    save_tokenizer(train_tokenizer(), folder)


if __name__ == "__main__":
    export(*map(Path, sys.argv[1:]))
