"""The child's main thread reads commands and runs the model; another thread reads the frames that a running model must receive.

Each has its own connection: handing commands over from one thread to the other would take longer than a small execution.
"""

from __future__ import annotations

import json
import locale
import os
import signal
import sys
import threading

from . import frames
from .connection import accept_host
from .frames import Channel, Frame, Packer


def main() -> None:
    address = json.loads(sys.stdin.readline())
    _use_ascii()
    _detach_from_terminal()
    if not hasattr(signal, "setitimer"):
        _ignore_timers()
    commands, urgent = map(Channel, accept_host(address, 2))
    if _say_hello(commands):
        # The host ends this process once it has read the problem.
        _next(commands)
    from .host_calls import HostCalls, session
    from .instance import Instance

    sys.dont_write_bytecode = True
    session.host = HostCalls(commands)
    instance = Instance(commands)
    handlers = {
        frames.BLS_RESULT: session.host.answered,
        frames.CALL_RESULT: session.host.answered,
        frames.CANCEL: instance.cancel,
        frames.ACKNOWLEDGE: instance.acknowledge,
    }
    threading.Thread(target=_handle_urgent, args=(urgent, handlers), daemon=True).start()
    while True:
        instance.handle(_next(commands))


def _use_ascii() -> None:
    """Makes `open` and `print` use ASCII unless the model names an encoding, as in Triton's stub, which never reads the server's locale."""
    locale.setlocale(locale.LC_CTYPE, "C")
    sys.stdout.reconfigure(encoding="ascii", errors="surrogateescape")
    sys.stderr.reconfigure(encoding="ascii", errors="backslashreplace")


def _ignore_timers() -> None:
    """Windows has no timers: the models of translated functions, which use one for their time limit, run there without a limit."""
    set_handler = signal.signal
    signal.SIGALRM, signal.ITIMER_REAL = 14, 0
    signal.signal = lambda number, handler: None if number == signal.SIGALRM else set_handler(number, handler)
    signal.setitimer = lambda *_: (0.0, 0.0)


def _say_hello(channel: Channel) -> str:
    """Announces the versions of the protocol, the interpreter and numpy; returns the reason why numpy cannot be imported, or ""."""
    version, problem = "", ""
    try:
        import numpy

        version = numpy.__version__
    except ImportError as error:
        problem = str(error)
    hello = Packer().u32(frames.PROTOCOL).text(sys.executable).text(sys.version.split()[0]).text(version).text(problem)
    channel.send(frames.HELLO, 0, hello.finish())
    return problem


def _handle_urgent(channel: Channel, handlers: dict) -> None:
    """Never runs or waits for user code, so that a running model always receives what it waits for."""
    while True:
        frame = _next(channel)
        handlers[frame.type](frame)


def _next(channel: Channel) -> Frame:
    """Waits for a frame. Ends the process when the host has ended."""
    try:
        return channel.receive()
    except (EOFError, OSError, ValueError):
        os._exit(0)


def _detach_from_terminal() -> None:
    """Only the host ends this process: Ctrl-C does not, and on Linux the process ends with the host even if C code holds the GIL."""
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
