"""Errors of the contract, and how Triton prints an exception of a model."""

from __future__ import annotations

import os

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_RUNNER = os.path.join(_FOLDER, "tritype_child", "user_model.py")


def native(cls: type) -> type:
    """Marks a class that Triton implements in C++: its module shows in messages and reprs."""
    cls.__module__ = "c_python_backend_utils"
    return cls


@native
class TritonModelException(Exception):
    """What pb_utils raises."""


class ContractError(Exception):
    """The model broke the backend's contract; Triton prints the message without type and frames."""


class ErrorCode(int):
    """A code of TritonError, as pybind prints its enums."""

    name: str

    def __new__(cls, value: int, name: str):
        code = int.__new__(cls, value)
        code.name = name
        return code

    @property
    def value(self) -> int:
        return int(self)

    def __str__(self) -> str:
        return f"__ErrorCode.{self.name}"

    def __repr__(self) -> str:
        return f"<__ErrorCode.{self.name}: {int(self)}>"


@native
class TritonError:
    """An error of one request: a message and a code, INTERNAL by default."""

    UNKNOWN = ErrorCode(0, "UNKNOWN")
    INTERNAL = ErrorCode(1, "INTERNAL")
    NOT_FOUND = ErrorCode(2, "NOT_FOUND")
    INVALID_ARG = ErrorCode(3, "INVALID_ARG")
    UNAVAILABLE = ErrorCode(4, "UNAVAILABLE")
    UNSUPPORTED = ErrorCode(5, "UNSUPPORTED")
    ALREADY_EXISTS = ErrorCode(6, "ALREADY_EXISTS")
    CANCELLED = ErrorCode(7, "CANCELLED")

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


def wrong_arguments(function: str, signature: str, arguments: tuple) -> TypeError:
    """The TypeError of pybind11 for arguments that fit no overload."""
    subject = "constructor" if function == "__init__" else "function"
    return TypeError(
        f"{function}(): incompatible {subject} arguments. The following argument types are supported:\n"
        f"    1. {signature}\n\nInvoked with: {', '.join(map(repr, arguments))}"
    )


def exception_text(error: BaseException) -> str:
    """`Type: message`, then the frames, as pybind11's `error_already_set::what()` prints them.

    Shown is the call stack of the innermost frame, not the traceback; frames of this package are left out.
    """
    if isinstance(error, ContractError):
        return str(error)
    frames = list(_frames(error))
    text = f"{type(error).__name__}: {_message(error)}"
    return text + ("\n\nAt:\n" + "".join(frames) if frames else "")


def _message(error: BaseException) -> str:
    try:
        return str(error) or "<EMPTY MESSAGE>"
    except Exception as problem:
        return f"<MESSAGE UNAVAILABLE DUE TO ANOTHER EXCEPTION: {type(problem).__name__}>"


def _frames(error: BaseException):
    traceback = error.__traceback__
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    frame = traceback.tb_frame if traceback else None
    while frame and frame.f_code.co_filename != _RUNNER:
        file = frame.f_code.co_filename
        if not file.startswith(_FOLDER + os.sep):
            yield f"  {file}({frame.f_lineno}): {frame.f_code.co_name}\n"
        frame = frame.f_back
