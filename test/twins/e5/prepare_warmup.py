"""Writes the files of the encoder's warmup: prepare_warmup.py MODEL_REPOSITORY"""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1]) / "e5_encoder" / "warmup"
folder.mkdir(exist_ok=True)
for name, length in {"min": 4, "max": 256}.items():
    np.full(length, 2000, dtype=np.int64).tofile(folder / f"{name}_input_ids")
    np.ones(length, dtype=np.int64).tofile(folder / f"{name}_attention_mask")
    np.zeros(length, dtype=np.int64).tofile(folder / f"{name}_token_type_ids")
