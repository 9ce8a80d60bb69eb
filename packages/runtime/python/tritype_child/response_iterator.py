"""What `exec(decoupled=True)` returns."""

from __future__ import annotations

from .errors import native


@native
class ResponseIterator:
    """The responses of one BLS request; it can be iterated again."""

    def __init__(self, responses: list):
        self._responses = responses
        self._next = 0

    def __iter__(self) -> ResponseIterator:
        self._next = 0
        return self

    def __next__(self):
        if self._next == len(self._responses):
            raise StopIteration
        self._next += 1
        return self._responses[self._next - 1]

    def cancel(self) -> None:
        """Nothing is left to cancel: the local runtime has no decoupled models, so every response is here."""
