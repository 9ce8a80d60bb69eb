import template

"""Answers that are sent while they are generated. Each is sent from a thread pool, so neither the loop nor the other answers wait for a slow client."""

import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils
from rows import InvalidRequest

PAUSE = 0.02  # seconds between two responses to a request: a small model generates tokens faster than they can be sent
FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class Row:
    """A request with one row: its search and its responses."""

    def __init__(self, request, step, threads, on_end):
        self.sender = request.get_response_sender()
        self.names = request.requested_output_names()
        self.step, self.threads, self.on_end = step, threads, on_end
        self.search = None
        if template.text:
            self.pieces = None
            self.tokens = []  # not sent yet
        self.lock = threading.Lock()
        self.made, self.is_complete, self.failure = [], False, None  # what the loop has reported since the last response
        self.is_announced = False
        self.is_closed = False
        self.announced_at = float("-inf")

    def is_wanted(self):
        return not self.is_closed

    def add(self, token, is_last):
        with self.lock:
            self.made.append(token)
            self.is_complete = is_last
            if is_last or time.monotonic() - self.announced_at >= PAUSE:
                self.announce()

    def fail(self, error):
        with self.lock:
            self.failure = self.failed(error)
            self.announce()

    def failed(self, error):
        is_invalid = isinstance(error, InvalidRequest)
        code = pb_utils.TritonError.INVALID_ARG if is_invalid else pb_utils.TritonError.INTERNAL
        return pb_utils.TritonError(f"{self.step}: {error}", code)

    def announce(self):
        if not self.is_announced:
            self.is_announced, self.announced_at = True, time.monotonic()
            self.threads.submit(self.send)

    def send(self):
        """Sends what was generated since the last response. Runs in one thread at a time."""
        try:
            self.send_made()
        except Exception as error:
            pb_utils.Logger.log_error(f"{self.step}: a response was not sent: {error}")
        with self.lock:
            self.is_announced = False
            if (self.is_complete or self.failure is not None) and not self.is_closed:
                self.announce()

    def send_made(self):
        """Sends the tokens generated since the last response. Exactly one response of a request is marked as the last one."""
        with self.lock:
            made, self.made = self.made, []
            is_last, failure = self.is_complete, self.failure
        if self.is_closed:
            return
        if self.sender.is_cancelled():
            text = f"{self.step}: the request was cancelled"
            made, failure = [], pb_utils.TritonError(text, pb_utils.TritonError.CANCELLED)
        try:
            outputs, is_last = self.outputs(made, is_last) if made or is_last else (None, False)
        except Exception as error:  # a failure only affects its own request
            outputs, is_last, failure = None, False, self.failed(error)
        self.is_closed = is_last or failure is not None
        try:
            if outputs is not None:
                tensors = [pb_utils.Tensor(name, outputs[name]) for name in self.names]
                self.sender.send(pb_utils.InferenceResponse(tensors), flags=FINAL if is_last else 0)
            if failure is not None and not is_last:
                self.sender.send(pb_utils.InferenceResponse(error=failure), flags=FINAL)
        finally:
            if self.is_closed:
                self.on_end()

    if template.text:

        def outputs(self, made, is_last):
            """The outputs of a response, if there is something to send, and whether it is the last one."""
            for token in made:
                self.tokens.append(token)
                if self.pieces.add(token):
                    is_last = True
                    break
            reason = ""
            if is_last:
                self.pieces.end()
                ended = self.tokens[-1:] and self.tokens[-1] in self.search.settings.eos_token_id
                reason = "stop" if self.pieces.is_stopped or ended else "length"
            piece = self.pieces.take(is_last)
            if not is_last and not (piece if "text" in self.names else self.tokens):
                return None, False
            tokens, self.tokens = self.tokens, []
            texts = {"text": piece, "finish_reason": reason}
            outputs = {name: np.array([[text.encode("utf-8")]], np.object_) for name, text in texts.items()}
            return {"sequences": np.array([tokens], np.int64), **outputs}, is_last
    else:

        def outputs(self, made, is_last):
            """The outputs of a response, if there is something to send, and whether it is the last one."""
            return {"sequences": np.array([made], np.int64)} if made else None, is_last
