"""Requests to a model."""

from __future__ import annotations

from .errors import TritonModelException, native, wrong_arguments
from .parameters import parameters_json
from .unsupported import unsupported

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2


@native
class InferenceTrace:
    """The trace of a request; the local runtime has none."""

    def get_context(self):
        return None


@native
class InferenceRequest:
    """One request; the constructor is the one that BLS code calls."""

    def __init__(
        self,
        request_id: str = "",
        correlation_id: int | str = 0,
        inputs=None,
        requested_output_names=None,
        model_name: str | None = None,
        model_version: int = -1,
        flags: int = 0,
        timeout: int = 0,
        preferred_memory=None,
        trace: InferenceTrace | None = None,
        parameters: dict | None = None,
    ):
        if inputs is None or requested_output_names is None or model_name is None:
            raise wrong_arguments("__init__", "c_python_backend_utils.InferenceRequest(request_id: str = '', ...)", ())
        if not isinstance(correlation_id, (int, str)):
            raise TritonModelException("Correlation ID must be integer or string")
        self._request_id = request_id
        self._correlation_id = correlation_id
        self._inputs = list(inputs)
        self._output_names = set(requested_output_names)
        self._model_name = model_name
        self._flags = flags
        self._timeout = timeout
        self._trace = trace or InferenceTrace()
        self._parameters = parameters_json(parameters)
        subject = f"for request with id '{request_id}' and model name '{model_name}' should not be empty."
        if any(tensor is None for tensor in self._inputs):
            raise TritonModelException(f"Input tensor {subject}")
        if "" in self._output_names:
            raise TritonModelException(f"Requested output name {subject}")

    def inputs(self) -> list:
        return self._inputs

    def request_id(self) -> str:
        return self._request_id

    def correlation_id(self) -> int | str:
        return self._correlation_id

    def flags(self) -> int:
        return self._flags

    def set_flags(self, flags: int) -> None:
        self._flags = flags

    def timeout(self) -> int:
        """Microseconds; 0 for none."""
        return self._timeout

    def parameters(self) -> str:
        return self._parameters

    def requested_output_names(self) -> set:
        return set(self._output_names)

    def trace(self) -> InferenceTrace:
        return self._trace

    def is_cancelled(self) -> bool:
        return False

    def set_release_flags(self, flags: int) -> None:
        """Triton 2.51 accepts any other flags, without effect."""
        if flags == TRITONSERVER_REQUEST_RELEASE_RESCHEDULE:
            unsupported("rescheduling of requests (set_release_flags)")

    def get_response_sender(self):
        unsupported("response senders (get_response_sender, decoupled models)")

    def exec(self, decoupled: bool = False):
        unsupported("BLS requests (InferenceRequest.exec)")

    def async_exec(self, decoupled: bool = False):
        unsupported("BLS requests (InferenceRequest.async_exec)")
