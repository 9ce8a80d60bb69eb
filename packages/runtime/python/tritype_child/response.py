"""Responses of a model."""

from __future__ import annotations

from .errors import TritonError, TritonModelException, native, wrong_arguments
from .tensor import Tensor

_ARGUMENTS = {"output_tensors": 0, "error": 1}
_SIGNATURE = (
    "c_python_backend_utils.InferenceResponse(output_tensors: List[c_python_backend_utils.Tensor] = [], "
    "error: c_python_backend_utils.TritonError = None)"
)


@native
class InferenceResponse:
    """The outputs for one request, or its error. If there is an error, the tensors are dropped."""

    def __init__(self, *given, **named):
        """Arguments: `output_tensors` (a list of Tensor, default empty) and `error` (a TritonError, default None)."""
        arguments = {**dict(zip(_ARGUMENTS, given)), **named}
        error = arguments.get("error")
        # A repeated or unknown argument makes the numbers differ.
        fits = len(arguments) == len(given) + len(named) and arguments.keys() <= _ARGUMENTS.keys()
        if not fits or not (error is None or isinstance(error, TritonError)):
            raise wrong_arguments("__init__", _SIGNATURE, given, named)
        self._outputs = list(arguments.get("output_tensors", ()))
        self._error = error
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
