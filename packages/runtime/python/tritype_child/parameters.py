"""Parameters of requests and responses."""

from __future__ import annotations

import json

from .errors import TritonModelException
from .frames import Packer

_BOOL, _INT, _TEXT = range(3)


def parameters_json(parameters: dict | None) -> str:
    """A dict of bool, int and str as the JSON text that `parameters()` returns. Raises TritonModelException for other types."""
    if parameters is None:
        return "{}"
    if not isinstance(parameters, dict):
        raise TritonModelException(f"Expect N8pybind114dictE, got {type(parameters)}")
    for key, value in parameters.items():
        if not isinstance(key, str):
            raise TritonModelException(f"Expect parameters keys to have type str, found type {type(key)}")
        if not isinstance(value, (bool, int, str)):
            raise TritonModelException(f"Expect parameters values to have type bool/int/str, found type {type(value)}")
    return json.dumps(parameters)


def pack_parameters(meta: Packer, text: str) -> None:
    """Writes the result of `parameters()` to `meta`."""
    parameters = json.loads(text)
    meta.u32(len(parameters))
    for key, value in parameters.items():
        meta.text(key)
        if isinstance(value, bool):
            meta.u8(_BOOL).u8(value)
        elif isinstance(value, int):
            meta.u8(_INT).i64(value)
        else:
            meta.u8(_TEXT).text(str(value))
