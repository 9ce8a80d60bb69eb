"""Triton's dtypes and their numpy types."""

from __future__ import annotations

import numpy

from .errors import TritonModelException

# The index is TRITONSERVER_DataType, which is also the number on the wire.
NAMES = (
    ["INVALID", "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64"]
    + ["FP16", "FP32", "FP64", "BYTES", "BF16"]
)
NUMPY_TYPES = (
    [None, numpy.bool_, numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64]
    + [numpy.int8, numpy.int16, numpy.int32, numpy.int64, numpy.float16, numpy.float32, numpy.float64, numpy.object_]
    + [numpy.uint16]  # the bits of BF16, which numpy does not have
)
BYTES = NAMES.index("BYTES")
BF16 = NAMES.index("BF16")

_CODES = {numpy.dtype(type_): code for code, type_ in enumerate(NUMPY_TYPES) if 1 <= code <= BYTES}

# Triton has no TYPE_BF16 here.
TRITON_STRING_TO_NUMPY = {
    **{f"TYPE_{name}": type_ for name, type_ in zip(NAMES[1:BYTES], NUMPY_TYPES[1:BYTES])},
    "TYPE_BOOL": bool,
    "TYPE_STRING": numpy.object_,
}


def triton_string_to_numpy(triton_type_string: str):
    """"TYPE_FP32" -> numpy.float32. Raises KeyError for a name that Triton does not map, such as TYPE_BF16."""
    return TRITON_STRING_TO_NUMPY[triton_type_string]


def triton_to_numpy_type(data_type: int):
    """TRITONSERVER_DataType number -> numpy type; None if there is none."""
    return NUMPY_TYPES[data_type] if isinstance(data_type, int) and 1 <= data_type <= BYTES else None


def numpy_to_triton_type(data_type):
    """numpy type -> TRITONSERVER_DataType number; None if there is none."""
    for code in range(1, BYTES + 1):
        if data_type == NUMPY_TYPES[code]:
            return code
    return BYTES if data_type == numpy.bytes_ else None


def code_of(dtype: numpy.dtype) -> int:
    """TRITONSERVER_DataType of an array's dtype. Raises TritonModelException for unicode, complex, big-endian and structured dtypes."""
    usual = _CODES.get(dtype)
    if usual is not None:
        return usual
    for code in range(1, BYTES + 1):
        if dtype == NUMPY_TYPES[code]:
            return code
    if dtype.type is numpy.bytes_:
        return BYTES
    raise TritonModelException("NumPy dtype is not supported.")
