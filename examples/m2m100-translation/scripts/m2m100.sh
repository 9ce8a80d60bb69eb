#!/usr/bin/env bash
# facebook/m2m100_418M → assets/m2m100 (FP32, tokenizer.json), assets/m2m100-int8: `bash scripts/m2m100.sh [MODEL]`, a name on the Hub or a folder.
# Needs 11 GB of memory, 16 GB of disk and Python 3.10 to 3.12.
set -euo pipefail
cd "$(dirname "$0")/.."
model="${1:-facebook/m2m100_418M}"
venv=".cache/m2m100"
# Without a fixed hash seed, optimum orders the merged decoder differently each time.
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet -r scripts/requirements-m2m100.txt
"$venv/bin/optimum-cli" export onnx --model "$model" --task text2text-generation-with-past assets/m2m100
"$venv/bin/python" scripts/convert_tokenizer.py assets/m2m100 < scripts/sentences.txt
"$venv/bin/python" scripts/quantize.py assets/m2m100 assets/m2m100-int8
# The merged decoder contains both.
rm assets/m2m100/decoder_model.onnx assets/m2m100/decoder_with_past_model.onnx
