"""pb_utils.Logger: lines for the runtime's log."""

from __future__ import annotations

from typing import Callable

from .errors import native, wrong_arguments
from .native_enum import NativeEnum


class LogLevel(NativeEnum):
    """The severity of a message."""


def _drop(level: int, message: str) -> None:
    pass


_write: Callable[[int, str], None] = _drop


def write_logs_with(write: Callable[[int, str], None]) -> None:
    """Sets the function that writes log messages. Before this is called, messages are dropped."""
    global _write
    _write = write


def _log_at(function: str, level: int):
    def log(message: str) -> None:
        if not isinstance(message, str):
            raise wrong_arguments(function, "(message: str) -> None", (message,))
        _write(level, message)

    return staticmethod(log)


@native
class Logger:
    """Writes to the server's log."""

    LogLevel = LogLevel
    INFO, WARNING, ERROR, VERBOSE = LogLevel.members("INFO", "WARNING", "ERROR", "VERBOSE")

    @staticmethod
    def log(message: str, level: LogLevel = INFO) -> None:
        if not isinstance(message, str) or not isinstance(level, LogLevel):
            signature = "(message: str, level: c_python_backend_utils.Logger.LogLevel = <LogLevel.INFO: 0>) -> None"
            raise wrong_arguments("log", signature, (message, level))
        _write(int(level), message)

    log_info = _log_at("log_info", 0)
    log_warn = _log_at("log_warn", 1)
    log_error = _log_at("log_error", 2)
    log_verbose = _log_at("log_verbose", 3)
