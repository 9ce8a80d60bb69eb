"""The child's main thread runs the model; a second thread reads the socket and ends the process when the host has gone."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading

from . import frames
from .connection import accept_host
from .frames import Channel, Packer


def main() -> None:
    address = json.loads(sys.stdin.readline())
    _detach_from_terminal()
    channel = Channel(accept_host(address))
    problem = _say_hello(channel)
    if problem:
        return
    incoming = queue.SimpleQueue()
    threading.Thread(target=_read, args=(channel, incoming), daemon=True).start()
    _serve(channel, incoming)


def _say_hello(channel: Channel) -> str:
    """Names protocol, interpreter and numpy; returns why numpy cannot be imported, or ""."""
    version, problem = "", ""
    try:
        import numpy

        version = numpy.__version__
    except ImportError as error:
        problem = str(error)
    hello = Packer().u32(frames.PROTOCOL).text(sys.executable).text(sys.version.split()[0]).text(version).text(problem)
    channel.send(frames.HELLO, 0, hello.finish())
    return problem


def _read(channel: Channel, incoming: queue.SimpleQueue) -> None:
    """Never runs user code and never waits for it, so that PING is answered while a model computes."""
    try:
        while True:
            frame = channel.receive()
            if frame.type == frames.PING:
                channel.send(frames.PONG, frame.id)
            else:
                incoming.put(frame)
    except (EOFError, OSError, ValueError):
        os._exit(0)


def _serve(channel: Channel, incoming: queue.SimpleQueue) -> None:
    from .errors import exception_text
    from .logger import write_logs_with
    from .messages import pack_failure, pack_responses, read_requests, read_texts
    from .user_model import UserModel

    def log(level: int, message: str) -> None:
        channel.send(frames.LOG, 0, Packer().u8(level).text(message).finish())

    def initialize(frame):
        arguments = read_texts(frame)
        try:
            model = UserModel(arguments.pop("@path"), arguments)
        except BaseException as error:
            channel.send(frames.FAIL, frame.id, Packer().text(exception_text(error)).finish())
            return None
        channel.send(frames.READY, frame.id)
        return model

    def execute(frame, model: UserModel) -> None:
        try:
            requests = read_requests(frame, model.name)
            meta, body = pack_responses(requests, model.execute(requests))
        except BaseException as error:
            reason = exception_text(error)
            text = f"Failed to process the request(s) for model '{model.instance}', message: {reason}"
            meta, body = pack_failure(text), None
        channel.send(frames.DONE, frame.id, meta, body)

    def finalize(frame, model: UserModel | None) -> None:
        try:
            if model:
                model.finalize()
        except BaseException as error:
            log(2, exception_text(error))
        channel.send(frames.READY, frame.id)
        os._exit(0)

    write_logs_with(log)
    model = None
    while True:
        frame = incoming.get()
        if frame.type == frames.INITIALIZE:
            model = initialize(frame)
        elif frame.type == frames.EXECUTE:
            execute(frame, model)
        elif frame.type == frames.FINALIZE:
            finalize(frame, model)
        del frame


def _detach_from_terminal() -> None:
    """The host decides when this process ends: not Ctrl-C, and on Linux not even GIL-holding C code outlives the host."""
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
