"""Imports numpy when it is first used. Most of the tests' models are loaded but get no requests, and numpy takes three quarters of the start-up time of a Python process."""

import sys
from _thread import RLock

# Parts that few models use are imported only when they are used, as in numpy 2.
PARTS = ("numpy", "numpy.ctypeslib", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.random")
lock = RLock()


class Late(type(sys)):
    """Replaces a module in `sys.modules` until it is used."""

    def __getattr__(self, name):
        return getattr(self._module(), name)

    def __setattr__(self, name, value):
        setattr(self._module(), name, value)

    def _module(self):
        name = self.__name__
        with lock:
            if sys.modules.get(name) is self:
                del sys.modules[name]
                __import__(name)
        return sys.modules[name]


class LateTable(dict):
    """A dictionary whose entries are created when one is first read."""

    def __init__(self, entries):
        self._entries = entries

    def __missing__(self, key):
        self.update(self._entries())
        if key not in self:
            raise KeyError(key)
        return self[key]


for part in PARTS:
    if part not in sys.modules:
        sys.modules[part] = Late(part)
