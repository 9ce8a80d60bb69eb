"""Responses of a model."""

from __future__ import annotations

from .errors import TritonError, TritonModelException, native, wrong_arguments
from .tensor import Tensor

_SIGNATURE = (
    "c_python_backend_utils.InferenceResponse(output_tensors: List[c_python_backend_utils.Tensor] = [], "
    "error: c_python_backend_utils.TritonError = None)"
)


@native
class InferenceResponse:
    """The outputs for one request, or its error. If there is an error, the tensors are dropped."""

    def __init__(self, *given, **named):
        """Arguments: `output_tensors` (a list of Tensor, default empty) and `error` (a TritonError, default None)."""
        arguments = dict(zip(("output_tensors", "error"), given))
        known = {"output_tensors", "error"} - arguments.keys()
        error = {**arguments, **named}.get("error")
        if len(given) > 2 or not named.keys() <= known or not (error is None or isinstance(error, TritonError)):
            raise wrong_arguments("__init__", _SIGNATURE, given, named)
        self._outputs = list({**arguments, **named}.get("output_tensors", ()))
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
