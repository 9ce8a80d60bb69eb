"""Loading and unloading models from a model."""

from __future__ import annotations

from .errors import TritonModelException
from .frames import Packer
from .host_calls import CallFailed, call_host


def load_model(model_name: str, config: str = "", files: dict | None = None) -> None:
    """Loads a model, as the server's model control does."""
    if files is not None and not isinstance(files, dict):
        raise TritonModelException(
            f"failed to load model '{model_name}', files should be a dictionary of file paths and file contents"
        )
    meta = Packer().text(model_name).text(config).u32(len(files or {}))
    for path, content in (files or {}).items():
        meta.text(path).data(content)
    _call("load model", "load", meta)


def unload_model(model_name: str, unload_dependents: bool = False) -> None:
    """Unloads a model, and with `unload_dependents` the models of an ensemble too."""
    _call("unload model", "unload", Packer().text(model_name).u8(unload_dependents))


def is_model_ready(model_name: str, model_version: str = "") -> bool:
    """Whether a model, or a version of it, answers requests."""
    return bool(_call("check model readiness", "ready", Packer().text(model_name).text(model_version)).u8())


def _call(verb: str, operation: str, meta: Packer):
    try:
        return call_host(operation, meta)
    except CallFailed as error:
        raise TritonModelException(f"Failed to {verb}: {error}") from None
