"""The places where tensors are stored. The local runtime keeps them in CPU memory."""

from __future__ import annotations

from .errors import native, wrong_arguments
from .native_enum import NativeEnum


class MemoryType(NativeEnum):
    """A kind of memory."""


TRITONSERVER_MEMORY_GPU, TRITONSERVER_MEMORY_CPU = MemoryType.members(
    "TRITONSERVER_MEMORY_GPU", "TRITONSERVER_MEMORY_CPU"
)


@native
class PreferredMemory:
    """The memory in which a BLS response should be stored. Only a preference, as in a Triton without a GPU."""

    def __init__(self, preferred_memory_type: MemoryType, preferred_device_id: int = 0):
        if not isinstance(preferred_memory_type, MemoryType) or not isinstance(preferred_device_id, int):
            signature = (
                "c_python_backend_utils.PreferredMemory(preferred_memory_type: c_python_backend_utils.MemoryType, "
                "preferred_device_id: int = 0)"
            )
            raise wrong_arguments("__init__", signature, (preferred_memory_type, preferred_device_id))
