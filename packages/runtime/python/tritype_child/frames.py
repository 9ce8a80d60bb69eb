"""The framing between the runtime (host) and this process (child), on both of their connections.

Every frame is a 32 byte little-endian header (magic `TPB1`, type, flags, id, length of meta, length of body), then meta (packed
fields), then the body: tensor bytes at offsets that are multiples of 64. `packages/runtime/src/python/frame.ts` implements the other end.
"""

from __future__ import annotations

import struct
import threading

PROTOCOL = 2
MAGIC = 0x31425054
HEADER = struct.Struct("<IHHQQQ")
ALIGNMENT = 64
_U32 = struct.Struct("<I")
_PARTS_PER_CALL = 512  # below IOV_MAX, which is 1024 on Linux and macOS

_BUFFER_SIZE = 1 << 16
_SMALL_BODY = 1 << 14  # a copy of so few bytes costs less than a second buffer

# host -> child, commands
INITIALIZE, AUTO_COMPLETE, EXECUTE, FINALIZE = range(1, 5)
# host -> child, over the second connection
BLS_RESULT, CALL_RESULT, CANCEL, ACKNOWLEDGE = range(33, 37)
# child -> host
READY, FAIL, DONE, RESPONSE, BLS, LOG, CALL, AUTO_COMPLETE_RESULT, HELLO = range(65, 74)


def _writer(layout: str):
    """A method that writes one number."""
    pack = struct.Struct(layout).pack

    def write(self, value):
        self._parts.append(pack(value))
        return self

    return write


def _reader(layout: str):
    """A method that reads one number."""
    unpack, size = struct.Struct(layout).unpack_from, struct.calcsize(layout)

    def read(self):
        (value,) = unpack(self._data, self._offset)
        self._offset += size
        return value

    return read


class Packer:
    """Writes meta: fixed-width little-endian numbers, and strings as u32 length + UTF-8."""

    __slots__ = ("_parts",)

    def __init__(self):
        self._parts = []

    u8, u32, u64, i64, f64 = map(_writer, ("<B", "<I", "<Q", "<q", "<d"))

    def text(self, value: str) -> Packer:
        data = value.encode("utf-8", "replace")
        self._parts.append(_U32.pack(len(data)) + data)
        return self

    def fields(self, layout: struct.Struct, *values: int) -> Packer:
        """Several numbers at once."""
        self._parts.append(layout.pack(*values))
        return self

    def finish(self) -> bytes:
        return b"".join(self._parts)


class Unpacker:
    """Reads meta that the host's Packer wrote."""

    __slots__ = ("_data", "_offset")

    def __init__(self, data: bytearray):
        self._data = data
        self._offset = 0

    u8, u32, u64, f64 = map(_reader, ("<B", "<I", "<Q", "<d"))

    def text(self) -> str:
        start = self._offset + 4
        (length,) = _U32.unpack_from(self._data, self._offset)
        self._offset = start + length
        return self._data[start : self._offset].decode("utf-8", "replace") if length else ""

    def fields(self, layout: struct.Struct) -> tuple:
        """Several numbers at once."""
        values = layout.unpack_from(self._data, self._offset)
        self._offset += layout.size
        return values


class Body:
    """The parts of a body and their offsets. Parts are sent from their own memory, without a copy."""

    def __init__(self):
        self.parts = []
        self.length = 0

    def add(self, data) -> int:
        """Appends bytes (a flat memoryview or bytes) at the next aligned offset, which is returned."""
        padding = -self.length % ALIGNMENT
        if padding and len(data):
            self.parts.append(bytes(padding))
            self.length += padding
        offset = self.length
        if len(data):
            self.parts.append(data)
            self.length += len(data)
        return offset


class Frame:
    """One received frame; `body` is a bytearray or a numpy uint8 array."""

    __slots__ = ("type", "id", "meta", "body")

    def __init__(self, type: int, id: int, meta: bytearray, body):
        self.type = type
        self.id = id
        self.meta = meta
        self.body = body


def _uninitialized(length: int):
    import numpy

    return numpy.empty(length, numpy.uint8)


class Channel:
    """Frames over a connected socket. Any thread may call `send`, only one thread `receive`."""

    def __init__(self, socket):
        self._socket = socket
        self._sending = threading.Lock()
        self._buffer = bytearray(_BUFFER_SIZE)
        self._read, self._received = 0, 0

    def receive(self) -> Frame:
        """Reads a frame. Raises EOFError if the host has ended."""
        if self._read == self._received:
            self._read, self._received = 0, self._receive_into(self._buffer)
        magic, type_, _flags, id_, meta_length, body_length = HEADER.unpack(self._take(HEADER.size))
        if magic != MAGIC:
            raise ValueError("a frame does not begin with its magic number")
        return Frame(type_, id_, self._take(meta_length), self._take(body_length, _uninitialized))

    def send(self, type: int, id: int, meta: bytes = b"", body: Body | None = None) -> None:
        parts, length = (body.parts, body.length) if body else ((), 0)
        head = HEADER.pack(MAGIC, type, 0, id, len(meta), length) + meta
        if length <= _SMALL_BODY:
            data = b"".join((head, *parts))
            with self._sending:
                self._socket.sendall(data)
            return
        parts = [head, *parts]
        with self._sending:
            for start in range(0, len(parts), _PARTS_PER_CALL):
                self._send_parts(parts[start : start + _PARTS_PER_CALL])

    def _send_parts(self, parts) -> None:
        if not hasattr(self._socket, "sendmsg"):  # Windows
            for part in parts:
                self._socket.sendall(part)
            return
        sent = self._socket.sendmsg(parts)
        for part in parts:
            if sent >= len(part):
                sent -= len(part)
            else:
                self._socket.sendall(memoryview(part)[sent:])
                sent = 0

    def _take(self, length: int, allocate=bytearray):
        """The next bytes: a copy of a part of the buffer, or memory into which the missing ones are received directly."""
        start, self._read = self._read, min(self._read + length, self._received)
        filled = self._read - start
        if filled == length:
            return self._buffer[start : self._read]
        data = allocate(length)
        view = memoryview(data)
        view[:filled] = self._buffer[start : self._read]
        while filled < length:
            filled += self._receive_into(view[filled:])
        return data

    def _receive_into(self, memory) -> int:
        count = self._socket.recv_into(memory)
        if count == 0:
            raise EOFError
        return count
