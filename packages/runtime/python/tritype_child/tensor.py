"""Tensors of requests and responses."""

from __future__ import annotations

import ctypes
import functools
import struct
from types import SimpleNamespace

import numpy

from .dtypes import BF16, BYTES, NUMPY_TYPES, code_of
from .errors import TritonModelException, native, wrong_arguments
from .frames import Body, Packer, Unpacker


@native
class Tensor:
    """A named tensor that wraps a numpy array. Contiguous arrays are shared, others are copied."""

    def __init__(self, name: str, array: numpy.ndarray):
        if not isinstance(name, str) or not isinstance(array, numpy.ndarray):
            signature = "c_python_backend_utils.Tensor(arg0: str, arg1: numpy.ndarray)"
            raise wrong_arguments("__init__", signature, (name, array))
        _require_name(name)
        self._code = code_of(array.dtype)
        if not isinstance(array.data, memoryview):  # masked arrays
            raise AttributeError("'numpy.ndarray' object has no attribute 'c_contiguous'")
        self._name = name
        self._array = array if array.flags.c_contiguous else numpy.ascontiguousarray(array)
        self._shape = list(array.shape)
        self._serialized = serialize_byte_tensor(self._array) or b"" if self._code == BYTES else None

    @classmethod
    def _received(cls, name: str, code: int, shape: list, body, offset: int, length: int) -> Tensor:
        """A received tensor, whose bytes are at an offset of a frame's body."""
        tensor = cls.__new__(cls)
        tensor._name, tensor._code, tensor._shape = name, code, shape
        tensor._serialized = None
        if code == BYTES:
            tensor._serialized = memoryview(body)[offset : offset + length]
            tensor._array = deserialize_bytes_tensor(tensor._serialized).reshape(shape)
        else:
            # Without bytes, the strides are those of new memory, as in Triton.
            tensor._array = numpy.ndarray(shape, NUMPY_TYPES[code], body if length else None, offset)[...]
        return tensor

    def name(self) -> str:
        return self._name

    def as_numpy(self) -> numpy.ndarray:
        if self._code == BF16:
            raise TritonModelException(
                "Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and from_dlpack() instead."
            )
        return self._array

    def shape(self) -> list:
        return list(self._shape)

    def triton_dtype(self):
        # Triton 2.51 never registered the enum's Python type.
        raise TypeError(
            "Unable to convert function return value to a Python type! The signature was\n"
            "\t(self: c_python_backend_utils.Tensor) -> TRITONSERVER_datatype_enum"
        )

    def is_cpu(self) -> bool:
        return True

    def to_dlpack(self):
        if self._code == BYTES:
            raise TritonModelException("DLPack does not have support for string tensors.")
        capsule = self._array.__dlpack__()
        if self._code == BF16:
            _dlpack_kind(capsule).value = _BFLOAT
        return capsule

    def __dlpack__(self, stream=None):
        return self.to_dlpack()

    def __dlpack_device__(self):
        return (1, 0)

    @staticmethod
    def from_dlpack(name: str, tensor) -> Tensor:
        _require_name(name)
        if not hasattr(tensor, "__dlpack__") and type(tensor).__name__ != "PyCapsule":
            raise TritonModelException(
                "Provided tensor is not supported. Tensor must be a DLPack capsule "
                "        or have `__dlpack__` and `__dlpack_device__` attributes"
            )
        capsule = tensor.__dlpack__() if hasattr(tensor, "__dlpack__") else tensor
        kind = _dlpack_kind(capsule)
        is_bf16 = kind.value == _BFLOAT
        kind.value = _UINT if is_bf16 else kind.value
        made = Tensor(name, _array_of(capsule))
        made._code = BF16 if is_bf16 else made._code
        return made

    def _wire(self):
        """The dtype number, the shape, and the bytes to send."""
        if self._serialized is not None:
            return self._code, self._shape, self._serialized
        # A view, because as_numpy() of a subclass such as numpy.matrix may define len() differently.
        data = memoryview(self._array).cast("B") if self._array.size else b""
        return self._code, self._shape, data


def _array_of(capsule) -> numpy.ndarray:
    """The memory of a capsule. numpy shows it as read-only, but Triton lets models write to it and pass it on."""
    # numpy 1 looks the methods up in the class.
    methods = {"__dlpack__": lambda _self, **_options: capsule, "__dlpack_device__": lambda _self: (1, 0)}
    view = numpy.from_dlpack(type("_Capsule", (), methods)())
    interface = {**view.__array_interface__, "data": (view.ctypes.data, False)}
    return numpy.asarray(SimpleNamespace(__array_interface__=interface, owner=view))


# Kinds of DLPack's dtypes. numpy has no bfloat, so it reads and writes BF16 as unsigned integers of the same size.
_UINT, _BFLOAT = 1, 4
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _dlpack_kind(capsule) -> ctypes.c_uint8:
    """The kind of a capsule's dtype, in place: in a DLTensor it follows data, device and ndim."""
    return ctypes.c_uint8.from_address(_pointer_of(capsule, b"dltensor") + 20)


def _require_name(name: str) -> None:
    if name == "":
        raise TritonModelException("Tensor name cannot be an empty string.")


def serialize_byte_tensor(tensor: numpy.ndarray):
    """Writes each element as u32 length + bytes. Elements that are not bytes are converted with str() and encoded in UTF-8.

    As in Triton: () for an empty tensor, None for a tensor that contains neither objects nor bytes.
    """
    if tensor.size == 0:
        return ()
    if tensor.dtype != numpy.object_ and tensor.dtype.type is not numpy.bytes_:
        return None
    parts = []
    for value in tensor.ravel(order="C").tolist():
        data = value if type(value) is bytes else str(value).encode("utf-8")
        parts.append(struct.pack("<I", len(data)) + data)
    return b"".join(parts)


def deserialize_bytes_tensor(encoded_tensor) -> numpy.ndarray:
    """The elements of a serialized BYTES tensor, as a flat object array of bytes."""
    view = memoryview(encoded_tensor)
    values = []
    offset = 0
    while offset < len(view):
        (length,) = struct.unpack_from("<I", view, offset)
        (value,) = struct.unpack_from(f"<{length}s", view, offset + 4)
        values.append(value)
        offset += 4 + length
    array = numpy.empty(len(values), dtype=numpy.object_)
    array[:] = values
    return array


def get_input_tensor_by_name(inference_request, name: str):
    """The request's input with this name; None if there is none."""
    return _by_name(inference_request.inputs(), name)


def get_output_tensor_by_name(inference_response, name: str):
    """The response's output with this name; None if there is none."""
    return _by_name(inference_response.output_tensors(), name)


def _by_name(tensors: list, name: str):
    for tensor in tensors:
        if tensor.name() == name:
            return tensor
    return None


def pack_tensors(meta: Packer, body: Body, tensors: list) -> None:
    """Writes name, dtype, offset, length and dims of each tensor to `meta`, and its bytes to `body`."""
    meta.u32(len(tensors))
    for tensor in tensors:
        code, shape, data = tensor._wire()
        meta.text(tensor.name()).fields(_NUMBERS, code, body.add(data), len(data), len(shape)).fields(_dims_of(len(shape)), *shape)


_NUMBERS = struct.Struct("<BQQB")


@functools.cache
def _dims_of(rank: int) -> struct.Struct:
    return struct.Struct(f"<{rank}Q")


def read_tensors(meta: Unpacker, body) -> list:
    """The tensors that the host packed."""
    return [_read_tensor(meta, body) for _ in range(meta.u32())]


def _read_tensor(meta: Unpacker, body) -> Tensor:
    name = meta.text()
    code, offset, length, rank = meta.fields(_NUMBERS)
    return Tensor._received(name, code, list(meta.fields(_dims_of(rank))), body, offset, length)
