"""Lets a model load and unload other models."""

from __future__ import annotations

from .errors import TritonModelException, wrong_arguments
from .frames import Body, Packer
from .host_calls import CallFailed, call_host

_LOAD = "(model_name: str, config: str = '', files: object = None) -> None"
_UNLOAD = "(model_name: str, unload_dependents: bool = False) -> None"
_READY = "(model_name: str, model_version: str = '') -> bool"


def load_model(model_name: str, config: str = "", files: dict | None = None) -> None:
    """Loads a model, like the server's model control. `files` contains bytes by `file:<path in the model's folder>`."""
    if not isinstance(model_name, str) or not isinstance(config, str):
        raise wrong_arguments("load_model", _LOAD, _given(model_name, (config, ""), (files, None)))
    if files is not None and not isinstance(files, dict):
        raise TritonModelException(
            f"failed to load model '{model_name}', files should be a dictionary of file paths and file contents"
        )
    meta, body = Packer().text(model_name).text(config).u32(len(files or {})), Body()
    for path, content in (files or {}).items():
        if not isinstance(path, str):
            raise RuntimeError(
                "Unable to cast Python instance to C++ type (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in "
                "debug mode for details)"
            )
        if not isinstance(content, bytes):
            raise TypeError(f"Object of type '{type(content).__name__}' is not an instance of 'bytes'")
        meta.text(path).u64(body.add(content)).u64(len(content))
    _call("load model", "load", meta, body)


def unload_model(model_name: str, unload_dependents: bool = False) -> None:
    """Unloads a model. With `unload_dependents`, it also unloads the models of an ensemble."""
    is_truth = unload_dependents is None or hasattr(type(unload_dependents), "__bool__")
    if not isinstance(model_name, str) or not is_truth:
        raise wrong_arguments("unload_model", _UNLOAD, _given(model_name, (unload_dependents, False)))
    _call("unload model", "unload", Packer().text(model_name).u8(bool(unload_dependents)))


def is_model_ready(model_name: str, model_version: str = "") -> bool:
    """Whether a model, or a version of it, is ready for requests."""
    if not isinstance(model_name, str) or not isinstance(model_version, str):
        raise wrong_arguments("is_model_ready", _READY, _given(model_name, (model_version, "")))
    return bool(_call("check model readiness", "ready", Packer().text(model_name).text(model_version)).u8())


def _given(name, *others) -> tuple:
    """The arguments, up to the last one that differs from its default."""
    count = max((n for n, (value, default) in enumerate(others, 1) if value is not default), default=0)
    return (name, *(value for value, _ in others[:count]))


def _call(verb: str, operation: str, meta: Packer, body: Body | None = None):
    try:
        return call_host(operation, meta, body)
    except CallFailed as error:
        raise TritonModelException(f"Failed to {verb}: {error}") from None
