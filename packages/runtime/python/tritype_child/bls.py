"""Requests of a model to other models."""

from __future__ import annotations

import threading

from .errors import TritonError, TritonModelException
from .frames import BLS, Body, Packer, Unpacker
from .host_calls import session
from .parameters import pack_parameters
from .response import InferenceResponse
from .tensor import pack_tensors, read_tensors

_FINAL, _RESPONSE = 1, 2
_DECOUPLED, _BACKGROUND = 1, 2


class BlsStream:
    """The responses to one request, as they arrive."""

    def __init__(self, id: int, answers):
        self._id = id
        self._answers = answers
        self._finished = False

    def next(self) -> tuple:
        """Waits for a response. Returns it, and whether it is the last one. An end without a response counts as an empty response."""
        frame = self._answers.get()
        meta = Unpacker(frame.meta)
        flags = meta.u8()
        self._finished = bool(flags & _FINAL)
        if not self._finished:
            session.host.tell("bls-read", self._id)
        response = _read_response(meta, frame.body) if flags & _RESPONSE else InferenceResponse([])
        return response, self._finished

    def __del__(self):
        if not self._finished:
            session.host.drop(self._id)


def infer(request) -> InferenceResponse:
    """Waits for the answer. Raises TritonModelException outside `execute`; other failures are the response's error."""
    packed = _pack_request(request, 0)
    names = [tensor.name() for tensor in request.inputs()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        why = f"[request id: {request.request_id() or '<id_unknown>'}] input '{twice}' already exists in request"
        return InferenceResponse([], TritonError(f"Model {request._model_name} - Error when running inference: {why}"))
    answer = session.host.ask(BLS, *packed)
    return _read_response(Unpacker(answer.meta), answer.body)


def stream(request) -> BlsStream:
    """Like `infer`, but for a model that may send several responses. Does not wait."""
    packed = _pack_request(request, _DECOUPLED)
    return BlsStream(*session.host.ask_many(BLS, *packed))


def _pack_request(request, kind: int) -> tuple:
    if not session.executing or session.host is None:
        raise TritonModelException("BLS is only supported during the 'execute' function.")
    # The thread of a decoupled model does not prevent its instance from executing.
    if session.decoupled and threading.current_thread() is not threading.main_thread():
        kind |= _BACKGROUND
    meta = Packer().u8(kind).u32(request._trace._number).text(request._model_name).i64(request._model_version).text(request.request_id())
    correlation_id = request.correlation_id()
    if isinstance(correlation_id, str):
        meta.u8(1).text(correlation_id)
    else:
        meta.u8(0).u64(correlation_id)
    meta.u32(request.flags()).u64(request.timeout())
    pack_parameters(meta, request.parameters())
    names = sorted(request.requested_output_names())
    meta.u32(len(names))
    for name in names:
        meta.text(name)
    body = Body()
    pack_tensors(meta, body, request.inputs())
    return meta.finish(), body


def _read_response(meta: Unpacker, body) -> InferenceResponse:
    if meta.u8():
        return InferenceResponse([], TritonError(meta.text()))
    return InferenceResponse(read_tensors(meta, body))
