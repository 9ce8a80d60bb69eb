"""Exports ONNX and TorchScript from the same weights, and checks that both give the same results."""

import zipfile
from pathlib import Path

import numpy as np
import torch

from classifier import Classifier

NAMES = ["input_ids", "attention_mask"]
TOLERANCE = 1e-5


def export(model: Classifier, folder: Path) -> None:
    """Writes model.onnx and model.pt. Raises if their results differ by more than `TOLERANCE`."""
    folder.mkdir(parents=True, exist_ok=True)
    example = (torch.tensor([[2, 5, 6, 3]]), torch.tensor([[1, 1, 1, 1]]))
    torch.jit.save(torch.jit.trace(model, example), str(folder / "model.pt"))
    drop_debug_records(folder / "model.pt")
    torch.onnx.export(
        model, example, str(folder / "model.onnx"), input_names=NAMES, output_names=["logits"], opset_version=17,
        dynamic_axes={**{name: {0: "batch", 1: "seq"} for name in NAMES}, "logits": {0: "batch"}},
    )
    worst = max(difference(model, folder, shape) for shape in ((1, 1), (1, 3), (7, 40), (64, 16), (2, 512)))
    print(f"largest difference of a logit between model, ONNX and TorchScript: {worst:.1e}")
    if worst > TOLERANCE:
        raise SystemExit(f"the exports differ by {worst}, more than {TOLERANCE}")


def drop_debug_records(path: Path) -> None:
    """Removes the source position of each operator, which contains paths on this machine."""
    with zipfile.ZipFile(path) as archive:
        records = {name: archive.read(name) for name in archive.namelist() if not name.endswith(".debug_pkl")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, record in records.items():
            archive.writestr(zipfile.ZipInfo(name), record)


def difference(model: Classifier, folder: Path, shape: tuple[int, int]) -> float:
    import onnxruntime

    chance = np.random.default_rng(7)
    ids = chance.integers(0, model.table.shape[0], shape, np.int64)
    mask = (np.arange(shape[1]) < chance.integers(1, shape[1] + 1, (shape[0], 1))).astype(np.int64)
    tensors = torch.from_numpy(ids), torch.from_numpy(mask)
    with torch.no_grad():
        expected = model(*tensors).numpy()
        traced = torch.jit.load(str(folder / "model.pt"))(*tensors).numpy()
    onnx = onnxruntime.InferenceSession(str(folder / "model.onnx")).run(["logits"], dict(zip(NAMES, (ids, mask))))[0]
    return float(max(abs(traced - expected).max(), abs(onnx - expected).max()))
