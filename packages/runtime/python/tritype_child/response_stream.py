"""The responses of a decoupled model."""

from __future__ import annotations

import collections
import threading

from . import frames
from .errors import TritonModelException
from .frames import Body, Channel, Packer
from .messages import pack_response
from .response import InferenceResponse
from .response_sender import TRITONSERVER_RESPONSE_COMPLETE_FINAL

_FINAL, _RESPONSE, _DROPPED = 1, 2, 4
_MOST_UNREAD = 8
_MOST_UNREAD_BYTES = 1 << 20


class ResponseStream:
    """What the senders of one request send. The request and its senders hold a reference to it; without them, it has ended."""

    def __init__(self, channel: Channel, key: tuple, wanted: set, drop):
        """`key`: the execution's id, and the request's index in it. A finalizer calls `drop(key)`, in any thread."""
        self.cancelled = False
        self._channel = channel
        self._key = key
        self._wanted = wanted
        self._drop = drop
        self._closed = False
        self._sending = threading.Lock()
        self._unread = collections.deque()
        self._changed = threading.Condition()

    def send(self, response: InferenceResponse | None, flags: int) -> None:
        """Waits while the client has not read earlier responses. Raises TritonModelException after the end."""
        with self._sending:
            meta, body = Packer(), Body()
            if response is not None and not self._closed:
                pack_response(meta, body, self._wanted, response)
                self._wait_for_reader(body.length)
            if self._closed:
                raise TritonModelException("Unable to send response. Response sender has been closed.")
            final = flags == TRITONSERVER_RESPONSE_COMPLETE_FINAL
            self._closed = final
            if response is not None:
                _tell(self._channel, self._key, _RESPONSE | final, meta.finish(), body)
            elif final:
                _tell(self._channel, self._key, _FINAL)

    def read(self) -> None:
        """The client has read a response, or never will. Called by the thread that reads the socket."""
        with self._changed:
            if self._unread:
                self._unread.popleft()
            self._changed.notify_all()

    def close(self) -> None:
        """No more can be sent: the host has ended the request."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def hold(self) -> None:
        """There is a sender."""

    def abandon(self) -> None:
        """No sender is left; the request may create another one."""

    def _wait_for_reader(self, size: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._has_room(size))
            self._unread.append(size)

    def _has_room(self, size: int) -> bool:
        if not self._unread:
            return True
        return len(self._unread) < _MOST_UNREAD and sum(self._unread) + size <= _MOST_UNREAD_BYTES

    def __del__(self):
        if not self._closed:
            self._drop(self._key)


def tell_dropped(channel: Channel, key: tuple) -> None:
    """The model has nothing left with which to send the last response of a request."""
    _tell(channel, key, _FINAL | _DROPPED)


def _tell(channel: Channel, key: tuple, flags: int, response: bytes = b"", body: Body | None = None) -> None:
    id_, index = key
    channel.send(frames.RESPONSE, id_, Packer().u32(index).u8(flags).finish() + response, body)
