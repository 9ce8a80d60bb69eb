"""The result of `exec(decoupled=True)`."""

from __future__ import annotations

from .errors import native


@native
class ResponseIterator:
    """The responses to one BLS request, as they arrive. After the last one, they can be iterated over again."""

    def __init__(self, stream):
        self._stream = stream
        self._responses = []
        self._next = 0
        self._finished = False

    def __iter__(self) -> ResponseIterator:
        if self._finished and self._next == len(self._responses):
            self._next = 0
        return self

    def __next__(self):
        if self._next == len(self._responses):
            if self._finished:
                raise StopIteration("Iteration is done for the responses.")
            self._read()
        self._next += 1
        return self._responses[self._next - 1]

    def _read(self) -> None:
        response, self._finished = self._stream.next()
        self._responses.append(response)
