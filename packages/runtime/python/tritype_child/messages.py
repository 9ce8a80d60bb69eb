"""Requests and responses as meta and body of frames."""

from __future__ import annotations

import struct

from .frames import Body, Frame, Packer, Unpacker
from .request import InferenceRequest, InferenceTrace
from .response import InferenceResponse
from .tensor import pack_tensors, read_tensors

_NUMBERS = struct.Struct("<BQIQII")
_OUTPUTS, _ERROR, _RESCHEDULED, _AFTERWARDS = range(4)


def read_texts(frame: Frame) -> dict:
    """Reads a map from string to string (meta of INITIALIZE)."""
    meta = Unpacker(frame.meta)
    return {meta.text(): meta.text() for _ in range(meta.u32())}


def read_requests(frame: Frame, model_name: str) -> list:
    """The requests of an EXECUTE frame."""
    meta = Unpacker(frame.meta)
    return [_read_request(meta, frame.body, model_name) for _ in range(meta.u32())]


def _read_request(meta: Unpacker, body, model_name: str) -> InferenceRequest:
    has_text, number, flags, timeout, trace_number, output_count = meta.fields(_NUMBERS)
    request_id, parameters, context = meta.text(), meta.text(), meta.text()
    correlation_id = meta.text() if has_text else number
    outputs = [meta.text() for _ in range(output_count)]
    trace = InferenceTrace(trace_number, context)
    inputs = read_tensors(meta, body)
    return InferenceRequest._received(
        request_id, correlation_id, inputs, outputs, model_name, flags, timeout, trace, parameters
    )


def pack_responses(requests: list, responses: list) -> tuple:
    """Meta and body of a DONE frame: for each request its requested outputs, its error, or None if it was rescheduled.

    Before the outputs or the error: what followed them, if a sender did not send exactly one complete response.
    """
    meta = Packer().u8(0).u32(len(responses))
    body = Body()
    for request, response in zip(requests, responses):
        if response is None:
            meta.u8(_RESCHEDULED)
            continue
        afterwards = request._answer.afterwards()
        if afterwards:
            final, failure = afterwards
            meta.u8(_AFTERWARDS).u8(final).text(failure)
        pack_response(meta, body, request._output_names, response)
    return meta.finish(), body


def pack_returned(rescheduled: list) -> bytes:
    """Meta of a DONE frame of a decoupled model, whose responses have separate frames: whether each request was rescheduled."""
    meta = Packer().u8(2).u32(len(rescheduled))
    for again in rescheduled:
        meta.u8(_RESCHEDULED if again else _OUTPUTS)
    return meta.finish()


def pack_failure(text: str) -> bytes:
    """Meta of a DONE frame that fails every request."""
    return Packer().u8(1).text(text).finish()


def pack_response(meta: Packer, body: Body, wanted: set, response: InferenceResponse) -> None:
    """The requested outputs (an empty set means all), or the error."""
    error = response.error()
    if error is not None:
        meta.u8(_ERROR).u32(int(error.code())).text(error.message())
        return
    meta.u8(_OUTPUTS)
    pack_tensors(meta, body, [tensor for tensor in response.output_tensors() if not wanted or tensor.name() in wanted])
