"""Must be imported before transformers: torch 1.13's FSDP cannot be imported on Python 3.11, and nothing here uses it."""

import sys
import types

fsdp = types.ModuleType("torch.distributed.fsdp")
fsdp.FullyShardedDataParallel = type("FullyShardedDataParallel", (), {})
sys.modules["torch.distributed.fsdp"] = fsdp

import torch  # noqa: E402

torch.distributed.fsdp = fsdp
torch.set_num_threads(1)
