"""The members of triton_python_backend_utils that Triton adds after it has imported the model's file."""

from __future__ import annotations

from .config import get_model_dir
from .errors import TritonError, TritonModelException
from .logger import Logger
from .memory import TRITONSERVER_MEMORY_CPU, TRITONSERVER_MEMORY_GPU, PreferredMemory
from .metrics import MetricFamily
from .model_control import is_model_ready, load_model, unload_model
from .request import InferenceRequest
from .response import InferenceResponse
from .tensor import Tensor

_CLASSES = (InferenceRequest, InferenceResponse, Logger, MetricFamily, PreferredMemory, Tensor, TritonError, TritonModelException)
_FUNCTIONS = (get_model_dir, is_model_ready, load_model, unload_model)
LATE_MEMBERS = {
    **{member.__name__: member for member in _CLASSES + _FUNCTIONS},
    "TRITONSERVER_MEMORY_CPU": TRITONSERVER_MEMORY_CPU,
    "TRITONSERVER_MEMORY_GPU": TRITONSERVER_MEMORY_GPU,
}
