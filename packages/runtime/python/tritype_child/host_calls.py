"""What a model requests from the runtime while it runs."""

from __future__ import annotations

import collections
import itertools
import queue

from .frames import CALL, Body, Channel, Frame, Packer, Unpacker


class CallFailed(Exception):
    """The host refused a call; the message is its reason."""


class HostCalls:
    """Calls to the host, from any thread; each waits for its own answer."""

    def __init__(self, channel: Channel):
        self._channel = channel
        self._ids = itertools.count(1 << 32)  # the host's own ids begin at 0
        self._waiting = {}
        self._streams = {}
        self._later = collections.deque()

    def ask(self, type: int, meta: bytes, body: Body | None = None) -> Frame:
        self.flush_releases()
        id_ = next(self._ids)
        answer = self._waiting[id_] = queue.SimpleQueue()
        self._channel.send(type, id_, meta, body)
        return answer.get()

    def ask_many(self, type: int, meta: bytes, body: Body) -> tuple:
        """The call's id, and the queue of its answers; bit 0 in the first byte of their meta marks the last one."""
        self.flush_releases()
        id_ = next(self._ids)
        answers = self._streams[id_] = queue.SimpleQueue()
        self._channel.send(type, id_, meta, body)
        return id_, answers

    def call(self, operation: str, meta: Packer, body: Body | None = None) -> Unpacker:
        """Raises CallFailed with the host's reason."""
        answer = Unpacker(self.ask(CALL, Packer().text(operation).finish() + meta.finish(), body).meta)
        if answer.u8():
            raise CallFailed(answer.text())
        return answer

    def answered(self, frame: Frame) -> None:
        """Called by the thread that reads the socket."""
        answers = self._streams.get(frame.id)
        if answers is not None:
            if frame.meta[0] & 1:
                self._streams.pop(frame.id, None)
            answers.put(frame)
            return
        waiting = self._waiting.pop(frame.id, None)
        if waiting:
            waiting.put(frame)

    def release(self, handle: int) -> None:
        """Tells the host that it may drop a handle. Finalizers call this, at any time and in any thread, so nothing is sent here."""
        self._later.append(("release", handle))

    def drop(self, id: int) -> None:
        """No more answers of `ask_many` are wanted. May be called by finalizers too."""
        self._streams.pop(id, None)
        self._later.append(("bls-drop", id))

    def flush_releases(self) -> None:
        while self._later:
            self.tell(*self._later.popleft())

    def tell(self, operation: str, handle: int) -> None:
        """A call without an answer."""
        self._channel.send(CALL, 0, Packer().text(operation).u64(handle).finish())


class Session:
    """The one model of this process, for the classes that its code calls."""

    def __init__(self):
        self.host: HostCalls | None = None
        self.instance = ""
        self.decoupled = False
        self.executing = False


session = Session()


def call_host(operation: str, meta: Packer, body: Body | None = None) -> Unpacker:
    """Raises CallFailed with the text in which Triton's stub passes on the server's message."""
    if session.host is None:
        raise CallFailed(f"'{operation}' needs the runtime")
    try:
        return session.host.call(operation, meta, body)
    except CallFailed as error:
        raise CallFailed(f"Failed to process the request for model '{session.instance}', message: {error}") from None
