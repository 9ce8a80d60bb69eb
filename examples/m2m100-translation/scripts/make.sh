#!/usr/bin/env bash
# Rebuilds models/ and the goldens: trains, exports, quantizes, measures. About 20 minutes on one core, offline except for pip.
# Before the first run, on Debian 12: apt-get install --no-install-recommends python3-torch libopenblas0-pthread python3-venv
set -euo pipefail
cd "$(dirname "$0")"
work="../.cache/model"
models="../models"
python="$work/venv/bin/python"
# Without a fixed hash seed, optimum orders the merged decoder differently each time.
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0

mkdir -p "$work"
[ -x "$python" ] || /usr/bin/python3 -m venv --system-site-packages "$work/venv"
"$python" -m pip install --quiet --no-deps -r requirements.txt

"$python" train.py final "$work/final"
"$python" train.py rough "$work/rough"
"$python" export.py "$work/final" "$models/fp32"
"$python" export.py "$work/rough" "$work/rough-onnx"
mkdir -p ../test/rough
cp "$work"/rough-onnx/{encoder_model.onnx,decoder_model_merged.onnx,config.json,generation_config.json} ../test/rough
"$python" quantize.py "$models/fp32" "$models/int8"
"$python" number_texts.py ../test/number-texts.json
"$python" goldens.py "$work/final" ../test/goldens.json
"$python" goldens.py "$work/rough" ../test/rough/goldens.json
"$python" report.py "$models/fp32" "$models/int8" "$models/report.json"
"$python" ../../../test/fixtures/generate/make.py
