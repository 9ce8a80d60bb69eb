"""Parts of pb_utils that the local runtime does not have yet; each says so by name."""

from __future__ import annotations

import enum
from typing import NoReturn

from .errors import TritonModelException, native


def unsupported(what: str) -> NoReturn:
    """Raises TritonModelException that names what is missing."""
    raise TritonModelException(f"Tritype's local runtime does not support {what} yet; Triton does.")


class MemoryType(enum.IntEnum):
    TRITONSERVER_MEMORY_GPU = 0
    TRITONSERVER_MEMORY_CPU = 1


TRITONSERVER_MEMORY_GPU, TRITONSERVER_MEMORY_CPU = MemoryType


@native
class PreferredMemory:
    """Where a BLS response should lie."""

    def __init__(self, preferred_memory_type: MemoryType, preferred_device_id: int = 0):
        unsupported("BLS requests (PreferredMemory)")


@native
class MetricFamily:
    """A family of custom metrics."""

    COUNTER, GAUGE, HISTOGRAM = range(3)

    def __init__(self, name: str, description: str, kind: int):
        unsupported("custom metrics (MetricFamily)")


def load_model(model_name: str, config: str = "", files: dict | None = None) -> None:
    unsupported("model control from a model (load_model)")


def unload_model(model_name: str, unload_dependents: bool = False) -> None:
    unsupported("model control from a model (unload_model)")


def is_model_ready(model_name: str, model_version: str = "") -> bool:
    unsupported("model control from a model (is_model_ready)")
