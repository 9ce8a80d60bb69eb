"""Responses of a model."""

from __future__ import annotations

from .errors import TritonError, TritonModelException, native, wrong_arguments
from .parameters import parameters_json
from .tensor import Tensor

_SIGNATURE = (
    "c_python_backend_utils.InferenceResponse(output_tensors: List[c_python_backend_utils.Tensor] = [], "
    "error: c_python_backend_utils.TritonError = None)"
)


@native
class InferenceResponse:
    """The outputs for one request, or its error. If there is an error, the tensors are dropped."""

    def __init__(self, output_tensors=(), error: TritonError | None = None, parameters: dict | None = None):
        if error is not None and not isinstance(error, TritonError):
            raise TypeError(f"{wrong_arguments('__init__', _SIGNATURE, ())}kwargs: error={error!r}")
        self._outputs = list(output_tensors)
        self._error = error
        self._parameters = parameters_json(parameters)
        for tensor in self._outputs:
            if tensor is None:
                raise TritonModelException("Output tensor for inference response should not be empty.")
            if not isinstance(tensor, Tensor):
                raise wrong_arguments("__init__", _SIGNATURE, (self._outputs,))

    def output_tensors(self) -> list:
        return self._outputs

    def has_error(self) -> bool:
        return self._error is not None

    def error(self) -> TritonError | None:
        return self._error

    def parameters(self) -> str:
        return self._parameters
