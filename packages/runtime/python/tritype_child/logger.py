"""pb_utils.Logger: lines for the runtime's log."""

from __future__ import annotations

from typing import Callable

from .errors import native, wrong_arguments


class LogLevel(int):
    """A level, as pybind prints its enums."""

    name: str

    def __new__(cls, value: int, name: str):
        level = int.__new__(cls, value)
        level.name = name
        return level

    @property
    def value(self) -> int:
        return int(self)

    def __str__(self) -> str:
        return f"LogLevel.{self.name}"

    def __repr__(self) -> str:
        return f"<LogLevel.{self.name}: {int(self)}>"


_write: Callable[[int, str], None] = lambda level, message: None


def write_logs_with(write: Callable[[int, str], None]) -> None:
    """Where log messages go; until this is called they are dropped."""
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
    INFO = LogLevel(0, "INFO")
    WARNING = LogLevel(1, "WARNING")
    ERROR = LogLevel(2, "ERROR")
    VERBOSE = LogLevel(3, "VERBOSE")

    @staticmethod
    def log(message: str, level: LogLevel = INFO) -> None:
        if not isinstance(message, str) or not isinstance(level, LogLevel):
            signature = "(message: str, level: triton::backend::python::LogLevel = <LogLevel.INFO: 0>) -> None"
            raise wrong_arguments("log", signature, (message,))
        _write(int(level), message)

    log_info = _log_at("log_info", 0)
    log_warn = _log_at("log_warn", 1)
    log_error = _log_at("log_error", 2)
    log_verbose = _log_at("log_verbose", 3)
