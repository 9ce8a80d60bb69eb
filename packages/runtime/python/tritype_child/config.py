"""Look-ups in the model configuration that `initialize` gets as JSON."""

from __future__ import annotations

_model_dir = ""


def get_input_config_by_name(model_config: dict, name: str):
    """The properties of the input with this name; None if there is none."""
    return _by_name(model_config, "input", name)


def get_output_config_by_name(model_config: dict, name: str):
    """The properties of the output with this name; None if there is none."""
    return _by_name(model_config, "output", name)


def using_decoupled_model_transaction_policy(model_config: dict) -> bool:
    return model_config.get("model_transaction_policy", {}).get("decoupled", False)


def get_model_dir() -> str:
    """The folder of the model's version."""
    return _model_dir


def set_model_dir(folder: str) -> None:
    global _model_dir
    _model_dir = folder


def _by_name(model_config: dict, kind: str, name: str):
    return next((item for item in model_config.get(kind, ()) if item["name"] == name), None)
