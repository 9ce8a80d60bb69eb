"""Sends responses before or after `execute` returns."""

from __future__ import annotations

import threading

from .errors import TritonModelException, native, wrong_arguments
from .response import InferenceResponse

TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1


class Answer:
    """The state of one request's sender."""

    def __init__(self):
        self.cancelled = False
        self.response: InferenceResponse | None = None
        self.failure = ""
        """The error of an execution that failed after answering one of its requests."""
        self._marked = False
        self._lock = threading.Lock()
        self._closed = False
        self._complete = False
        self._settled: threading.Event | None = None
        """Set when the sender has nothing more to send; None for a request without a sender."""

    def send(self, response: InferenceResponse | None, flags: int) -> None:
        """Stores a response. Raises TritonModelException if only a decoupled model may send it."""
        with self._lock:
            if response is not None and self.response is not None:
                raise TritonModelException(
                    "Unable to send response. Non-decoupled model cannot send more than one response."
                )
            if response is None and self.response is None:
                raise TritonModelException(
                    "Unable to send response. Non-decoupled model cannot send complete final before sending a response."
                )
            if self._closed:
                raise TritonModelException("Unable to send response. Response sender has been closed.")
            self._closed = self._complete = flags == TRITONSERVER_RESPONSE_COMPLETE_FINAL
            if response is not None:
                self.response, self._marked = response, self._complete
            if self._closed:
                self.abandon()

    def close(self) -> None:
        """Rejects further responses."""
        with self._lock:
            self._closed = True
            self.abandon()

    def hold(self) -> None:
        """Called when a sender is created."""
        with self._lock:
            if not self._closed:
                self._settled = self._settled or threading.Event()
                self._settled.clear()

    def abandon(self) -> None:
        """Called when no sender is left. `execute` may still return a response."""
        if self._settled is not None:
            self._settled.set()

    def wait(self) -> InferenceResponse | None:
        """Waits until the sender has marked its response as the last one or was dropped. Returns the response; None if there is none."""
        if self._settled is not None:
            self._settled.wait()
        return self.response

    def complete(self) -> bool:
        """Whether the model marked its response as the last one, when it sent it or later."""
        return self._complete

    def afterwards(self) -> tuple[bool, str] | None:
        """Whether the request has one message, and why its execution failed; None for a request that was answered properly."""
        if not self.failure and (self._marked or not self._complete):
            return None
        return self._marked or self.response is None, self.failure


@native
class InferenceResponseSender:
    """Sends the response to one request, from any thread."""

    def __init__(self, answer):
        """`answer`: an Answer, the ResponseStream of a decoupled model, or None for a request that a model made."""
        self._answer = answer
        if answer is not None:
            answer.hold()

    def send(self, response: InferenceResponse | None = None, flags: int = 0) -> None:
        is_response = response is None or isinstance(response, InferenceResponse)
        if not is_response or not isinstance(flags, int) or not 0 <= flags < 1 << 32:
            signature = (
                "(self: c_python_backend_utils.InferenceResponseSender, "
                "response: c_python_backend_utils.InferenceResponse = None, flags: int = 0) -> None"
            )
            given = (self, response) if flags == 0 else (self, response, flags)
            raise wrong_arguments("send", signature, given)
        if flags not in (0, TRITONSERVER_RESPONSE_COMPLETE_FINAL):
            raise TritonModelException("Unable to send response. Unsupported flag provided.")
        if flags == 0 and response is None:
            raise TritonModelException(
                "Inference Response object must be provided when the response flags is set to zero."
            )
        if self._answer is None:
            raise TritonModelException(
                "Unable to send response. Response sender has no reference to the decoupled state of the model."
            )
        self._answer.send(response, flags)

    def is_cancelled(self) -> bool:
        return self._answer is not None and self._answer.cancelled

    def __del__(self):
        if self._answer is not None:
            self._answer.abandon()
