"""Calls that a running model makes to the runtime."""

from __future__ import annotations

import collections
import itertools
import queue

from .frames import CALL, Body, Channel, Frame, Packer, Unpacker


class CallFailed(Exception):
    """The host refused a call; the message is its reason."""


class HostCalls:
    """Calls to the host. Any thread may call, and each call waits for its own answer."""

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
        """Makes a call with several answers. Returns its id and the queue of answers; bit 0 in the first byte of meta marks the last one."""
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
        """Remembers that the host may drop a handle. Sends nothing, because finalizers call this at any time and in any thread."""
        self._later.append(("release", handle))

    def drop(self, id: int) -> None:
        """Ignores further answers to a call of `ask_many`. Finalizers may call this, too."""
        self._streams.pop(id, None)
        self._later.append(("bls-drop", id))

    def flush_releases(self) -> None:
        while self._later:
            self.tell(*self._later.popleft())

    def tell(self, operation: str, handle: int) -> None:
        """A call without an answer."""
        self._channel.send(CALL, 0, Packer().text(operation).u64(handle).finish())


class Session:
    """The model of this process, for the classes that its code uses."""

    def __init__(self):
        self.host: HostCalls | None = None
        self.instance = ""
        self.decoupled = False
        self.executing = False


session = Session()


def call_host(operation: str, meta: Packer, body: Body | None = None) -> Unpacker:
    """Calls the host. Raises CallFailed with the message that Triton's stub would give."""
    if session.host is None:
        raise CallFailed(f"'{operation}' needs the runtime")
    try:
        return session.host.call(operation, meta, body)
    except CallFailed as error:
        raise CallFailed(f"Failed to process the request for model '{session.instance}', message: {error}") from None
