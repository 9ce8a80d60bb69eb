"""Errors of the interface, and how Triton prints an exception of a model."""

from __future__ import annotations

import os

from .native_enum import NativeEnum

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_RUNNERS = [os.path.join(_FOLDER, "tritype_child", file) for file in ("user_model.py", "instance.py")]


def native(cls: type) -> type:
    """Marks a class that Triton implements in C++: its module appears in messages and reprs."""
    cls.__module__ = "c_python_backend_utils"
    cls.__getattr__ = _no_attribute
    return cls


def _no_attribute(self, name: str):
    raise AttributeError(f"'c_python_backend_utils.{type(self).__name__}' object has no attribute '{name}'")


@native
class TritonModelException(Exception):
    """The exception that pb_utils raises."""


class ContractError(Exception):
    """The model broke the rules of the backend. Triton prints only the message, without type and frames."""


class ErrorCode(NativeEnum):
    """A code of TritonError."""

    printed = "__ErrorCode"


@native
class TritonError:
    """An error of one request: a message and a code, INTERNAL by default."""

    (UNKNOWN, INTERNAL, NOT_FOUND, INVALID_ARG, UNAVAILABLE, UNSUPPORTED, ALREADY_EXISTS, CANCELLED) = ErrorCode.members(
        *("UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED", "ALREADY_EXISTS", "CANCELLED")
    )

    def __init__(self, message: str, code: ErrorCode | None = None):
        if not isinstance(message, str) or not (code is None or isinstance(code, ErrorCode)):
            raise wrong_arguments(
                "__init__",
                "c_python_backend_utils.TritonError(message: str, code: "
                "c_python_backend_utils.TritonError.__ErrorCode = <__ErrorCode.INTERNAL: 1>)",
                (message,) if code is None else (message, code),
            )
        self._message = message
        self._code = TritonError.INTERNAL if code is None else code

    def code(self) -> ErrorCode:
        return self._code

    def message(self) -> str:
        return self._message


def wrong_arguments(function: str, signature: str, arguments: tuple, named: dict | None = None) -> TypeError:
    """The TypeError of pybind11 for arguments that do not fit any overload."""
    subject = "constructor" if function == "__init__" else "function"
    given = [", ".join(map(repr, arguments))] if arguments else []
    given += [f"kwargs: {', '.join(f'{name}={value!r}' for name, value in named.items())}"] if named else []
    return TypeError(
        f"{function}(): incompatible {subject} arguments. The following argument types are supported:\n"
        f"    1. {signature}\n\nInvoked with: {'; '.join(given)}"
    )


def exception_text(error: BaseException) -> str:
    """`Type: message`, then the frames, as pybind11's `error_already_set::what()` prints them.

    The frames are those of the call stack at the innermost frame, not of the traceback. Frames of this package are omitted.
    """
    if isinstance(error, ContractError):
        return str(error)
    after = ""
    try:
        message = str(error) or "<EMPTY MESSAGE>"
    except Exception as problem:
        message = "<MESSAGE UNAVAILABLE DUE TO ANOTHER EXCEPTION>"
        after = f"\nMESSAGE UNAVAILABLE DUE TO EXCEPTION: {exception_text(problem)}"
    frames = list(_frames(error))
    at = "\n\nAt:\n" + "".join(frames) if frames else ""
    return f"{type(error).__name__}: {message}{at}{after}"


def _frames(error: BaseException):
    traceback = error.__traceback__
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    frame = traceback.tb_frame if traceback else None
    while frame and frame.f_code.co_filename not in _RUNNERS:
        file = frame.f_code.co_filename
        if not file.startswith(_FOLDER + os.sep):
            yield f"  {file}({frame.f_lineno}): {frame.f_code.co_name}\n"
        frame = frame.f_back
