"""What a model asks of the runtime while it runs."""

from __future__ import annotations

import collections
import itertools
import queue

from .frames import CALL, Body, Channel, Frame, Packer, Unpacker


class CallFailed(Exception):
    """The host refused a call; the text is its reason."""


class HostCalls:
    """Questions to the host, from any thread; each waits for its own answer."""

    def __init__(self, channel: Channel):
        self._channel = channel
        self._ids = itertools.count(1 << 32)  # the host's own begin at 0
        self._waiting = {}
        self._releases = collections.deque()

    def ask(self, type: int, meta: bytes, body: Body | None = None) -> Frame:
        self.flush_releases()
        id_ = next(self._ids)
        answer = self._waiting[id_] = queue.SimpleQueue()
        self._channel.send(type, id_, meta, body)
        return answer.get()

    def call(self, operation: str, meta: Packer, body: Body | None = None) -> Unpacker:
        """Raises CallFailed with the host's reason."""
        answer = Unpacker(self.ask(CALL, Packer().text(operation).finish() + meta.finish(), body).meta)
        if answer.u8():
            raise CallFailed(answer.text())
        return answer

    def answered(self, frame: Frame) -> None:
        """Called by the thread that reads the socket."""
        waiting = self._waiting.pop(frame.id, None)
        if waiting:
            waiting.put(frame)

    def release(self, handle: int) -> None:
        """The host may forget a handle. Finalizers call this, at any time and in any thread, so nothing is sent here."""
        self._releases.append(handle)

    def flush_releases(self) -> None:
        while self._releases:
            meta = Packer().text("release").u64(self._releases.popleft())
            self._channel.send(CALL, 0, meta.finish())


class Session:
    """The one model of this process, for the classes that its code calls."""

    def __init__(self):
        self.host: HostCalls | None = None
        self.instance = ""
        self.executing = False


session = Session()


def call_host(operation: str, meta: Packer, body: Body | None = None) -> Unpacker:
    """Raises CallFailed in the words in which Triton's stub passes on what the server says."""
    if session.host is None:
        raise CallFailed(f"'{operation}' needs the runtime")
    try:
        return session.host.call(operation, meta, body)
    except CallFailed as error:
        raise CallFailed(f"Failed to process the request for model '{session.instance}', message: {error}") from None
