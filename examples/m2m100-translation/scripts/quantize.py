"""Quantizes an export's encoder and merged decoder to dynamic int8: `python quantize.py FP32_FOLDER INT8_FOLDER`."""

import shutil
import sys
from pathlib import Path

from onnxruntime.quantization import QuantType, quantize_dynamic

FILES = ("encoder_model.onnx", "decoder_model_merged.onnx")
BESIDE = ("config.json", "generation_config.json")


def quantize(fp32: Path, int8: Path) -> None:
    int8.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        # The merged decoder's two branches are subgraphs.
        quantize_dynamic(
            fp32 / file, int8 / file.replace(".onnx", "_quantized.onnx"), weight_type=QuantType.QInt8, extra_options={"EnableSubgraph": True}
        )
    for file in BESIDE:
        shutil.copy(fp32 / file, int8)


if __name__ == "__main__":
    quantize(*map(Path, sys.argv[1:]))
