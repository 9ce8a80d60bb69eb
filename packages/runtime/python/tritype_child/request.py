"""Requests to a model."""

from __future__ import annotations

import operator
import weakref

from .bls import infer, stream
from .errors import TritonModelException, native, wrong_arguments
from .memory import PreferredMemory
from .parameters import parameters_json
from .response_iterator import ResponseIterator
from .response_sender import Answer, InferenceResponseSender

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2


@native
class InferenceTrace:
    """The trace of a request. A request that is not traced has the number 0."""

    def __init__(self, number: int = 0, context: str = ""):
        self._number = number
        self._context = context

    def get_context(self) -> str | None:
        """`traceparent` and `tracestate` of the request's span, as JSON; None if no spans are recorded."""
        return self._context or None


_NOT_CAST = (
    "Unable to cast Python instance to C++ type (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
)


def _is_int(value, least: int, end: int) -> bool:
    try:
        return least <= operator.index(value) < end
    except TypeError:
        return False


def _no_sender() -> None:
    """In place of a weak reference to a sender."""


@native
class InferenceRequest:
    """A request. BLS code also calls the constructor."""

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
        preferred_memory: PreferredMemory | None = None,
        trace: InferenceTrace | None = None,
        parameters: dict | None = None,
    ):
        names_are_texts = requested_output_names is not None and all(isinstance(n, str) for n in requested_output_names)
        fits = inputs is not None and names_are_texts and model_name is not None and correlation_id is not None
        counts = _is_int(model_version, -(2**63), 2**63) and _is_int(flags, 0, 2**32) and _is_int(timeout, 0, 2**64)
        if not fits or not counts or not isinstance(request_id, str):
            raise wrong_arguments("__init__", "c_python_backend_utils.InferenceRequest(request_id: str = '', ...)", ())
        if not isinstance(correlation_id, (int, str)):
            raise TritonModelException("Correlation ID must be integer or string")
        if isinstance(correlation_id, int):
            correlation_id = int(correlation_id)
            if not _is_int(correlation_id, 0, 2**64):
                raise RuntimeError(_NOT_CAST)
        self._request_id = request_id
        self._correlation_id = correlation_id
        self._inputs = list(inputs)
        self._output_names = set(requested_output_names)
        self._model_name = model_name
        self._model_version = model_version
        self._flags = flags
        self._timeout = timeout
        self._trace = trace or InferenceTrace()
        self._parameters = parameters_json(parameters)
        self._answer: Answer | None = None
        self._release_flags = TRITONSERVER_REQUEST_RELEASE_ALL
        self._sender = _no_sender
        subject = f"for request with id '{request_id}' and model name '{model_name}' should not be empty."
        if any(tensor is None for tensor in self._inputs):
            raise TritonModelException(f"Input tensor {subject}")
        if "" in self._output_names:
            raise TritonModelException(f"Requested output name {subject}")

    @classmethod
    def _received(
        cls,
        request_id: str,
        correlation_id: int | str,
        inputs: list,
        output_names: list,
        model_name: str,
        flags: int,
        timeout: int,
        trace: InferenceTrace,
        parameters: str,
    ) -> InferenceRequest:
        """A request from a client, which the runtime has checked. It needs an answer, and its parameters are JSON."""
        request = cls.__new__(cls)
        request._request_id = request_id
        request._correlation_id = correlation_id
        request._inputs = inputs
        request._output_names = set(output_names)
        request._model_name = model_name
        request._model_version = -1
        request._flags = flags
        request._timeout = timeout
        request._trace = trace
        request._parameters = parameters
        request._answer = Answer()
        request._release_flags = TRITONSERVER_REQUEST_RELEASE_ALL
        request._sender = _no_sender
        return request

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
        """The timeout in microseconds; 0 for none."""
        return self._timeout

    def parameters(self) -> str:
        return self._parameters

    def requested_output_names(self) -> set:
        return set(self._output_names)

    def trace(self) -> InferenceTrace:
        return self._trace

    def is_cancelled(self) -> bool:
        """Whether the client has cancelled the request."""
        return self._answer is not None and self._answer.cancelled

    def set_release_flags(self, flags: int) -> None:
        """With TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, the request is executed again after this execution."""
        self._release_flags = flags

    def get_response_sender(self) -> InferenceResponseSender:
        """The request's only sender. If it is dropped without a response, the request gets no response."""
        sender = self._sender()
        if sender is None:
            sender = InferenceResponseSender(self._answer)
            self._sender = weakref.ref(sender)
        return sender

    def exec(self, decoupled: bool = False):
        """Runs this request on its model and waits. Returns an InferenceResponse, or with `decoupled` an iterator over responses."""
        return ResponseIterator(stream(self)) if decoupled else infer(self)

    def async_exec(self, decoupled: bool = False):
        """Like `exec`, but as a future of the running event loop. With `decoupled`, it is done when the first response arrives."""
        import asyncio  # takes 50 ms to import, so it is imported only for models with coroutines

        return asyncio.get_running_loop().run_in_executor(None, self._exec_until_first, decoupled)

    def _exec_until_first(self, decoupled: bool):
        result = self.exec(decoupled)
        if decoupled:
            # Otherwise a loop over the responses would block the event loop, and with it all other requests.
            result._read()
        return result

    def _is_rescheduled(self) -> bool:
        return self._release_flags & TRITONSERVER_REQUEST_RELEASE_RESCHEDULE != 0

    def _has_sender(self) -> bool:
        return self._answer is not None and (self._sender() is not None or self._answer.response is not None)
