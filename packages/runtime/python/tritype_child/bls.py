"""Requests of a model to other models."""

from __future__ import annotations

from .errors import TritonError, TritonModelException
from .frames import BLS, Body, Packer, Unpacker
from .host_calls import session
from .parameters import pack_parameters
from .response import InferenceResponse
from .tensor import pack_tensors, read_tensors


def infer(request, decoupled: bool) -> InferenceResponse:
    """Waits for the answer. Raises TritonModelException outside of `execute`; other failures are the response's error."""
    if not session.executing or session.host is None:
        raise TritonModelException("BLS is only supported during the 'execute' function.")
    meta = Packer().u8(decoupled).text(request._model_name).i64(request._model_version).text(request.request_id())
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
    answer = session.host.ask(BLS, meta.finish(), body)
    return _read_response(Unpacker(answer.meta), answer.body)


def _read_response(meta: Unpacker, body) -> InferenceResponse:
    if meta.u8():
        return InferenceResponse([], TritonError(meta.text()))
    return InferenceResponse(read_tensors(meta, body))
