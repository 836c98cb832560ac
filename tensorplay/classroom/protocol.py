"""The messages between the grader, which is trusted, and a worker, which is not.

A frame is a fixed head, a JSON text and the raw bytes of the arrays in it:

    b"TPC1" | length of the JSON, 4 bytes | length of the bytes, 4 bytes | JSON | bytes

The JSON is `[kind, id, value]`. Both lengths are checked before anything is read, the JSON is checked for
depth and size while it is decoded, and a value is only ever built from the table below. Nothing is
unpickled, nothing is evaluated, no name is looked up: whatever the other side sends, what comes out of
`unpack` is plain data or a `ProtocolError`.

| value                          | JSON                                          |
|--------------------------------|-----------------------------------------------|
| None, bool, str, list          | as in JSON                                    |
| int, finite float              | a number without / with a point or exponent   |
| int beyond 64 bits             | {"int": "0x..."}                              |
| nan, inf, -inf                 | {"float": "nan"}                              |
| complex                        | {"complex": [real, imag]}                     |
| bytes                          | {"bytes": length}                             |
| tuple                          | {"tuple": [items]}                            |
| dict                           | {"dict": [[key, value], ...]}, keys plain     |
| numpy array                    | {"array": [dtype, shape]}                     |
| numpy scalar                   | {"scalar": dtype}                             |
| tensorplay Tensor              | {"tensor": [dtype, shape, requires_grad]}     |

`bytes`, `array`, `scalar` and `tensor` take their bytes from the tail of the frame, in the order in which
they appear; arrays are little-endian, in C order, of a dtype in `DTYPES`. Types are compared by `type(x) is`:
an object that only says it equals the right answer never gets across. Reserved: {"handle": [number, type]}.

| kind     | from   | value                                                              | answer           |
|----------|--------|--------------------------------------------------------------------|------------------|
| `hello`  | worker | {"version", "isolation": {aspect: sentence}}                       | none             |
| `load`   | grader | {"name", "filename", "source"}                                     | `done`, `failed` |
| `seed`   | grader | {"seed"}: for the student's own random draws                       | `done`, `failed` |
| `call`   | grader | {"function", "args", "kwargs"}                                     | `done`, `failed` |
| `value`  | grader | {"name"}: a module-level constant                                  | `done`, `failed` |
| `done`   | worker | the result                                                         |                  |
| `failed` | worker | {"why", "type", "message", "frames": [[line, function, text]]}     |                  |

An answer carries the id of its request; one that does not ends the worker. `why` is one of `WHY`.
This module imports NumPy and the standard library only: the worker loads it by path.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    *("BOUNDS", "DTYPES", "TO_WORKER", "VERSION", "WHY"),
    *("Bounds", "Message", "ProtocolError", "pack", "read", "unpack"),
]

VERSION = 1
WHY = ("exception", "syntax", "missing", "exit", "memory", "bad result")
HEAD = struct.Struct("!4sII")
MAGIC = b"TPC1"
HEXADECIMAL = re.compile(r"-?0x[0-9a-f]+")
DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
SCALARS: dict[type, str] = {np.dtype(name).type: name for name in DTYPES}


class ProtocolError(ValueError):
    """A message breaks a rule of this module, or a value has no place in it."""


@dataclass
class Bounds:
    """The most that one frame may hold; `read` and `unpack` refuse more."""

    json: int = 1 << 20
    data: int = 16 << 20
    depth: int = 32
    items: int = 100_000
    bits: int = 4096


class Message(NamedTuple):
    """One decoded frame."""

    kind: str
    id: int
    value: Any


BOUNDS = Bounds()  # for what comes from a worker
TO_WORKER = Bounds(json=16 << 20, data=64 << 20, items=1_000_000)  # for what the grader sends

# ------------------------------------------------------------------------------------------- frames


def pack(kind: str, id: int, value: Any, bounds: Bounds = BOUNDS) -> bytes:
    """The frame of one message. Raises `ProtocolError` for a value outside the table.

    >>> unpack(pack("done", 1, (1, 2.5, {"a": None})))
    Message(kind='done', id=1, value=(1, 2.5, {'a': None}))
    """
    encoder = _Encoder(bounds)
    text = json.dumps([kind, id, encoder.encode(value, 0)], separators=(",", ":"), allow_nan=False).encode("ascii")
    data = b"".join(encoder.chunks)
    _check_lengths(len(text), len(data), bounds)
    return HEAD.pack(MAGIC, len(text), len(data)) + text + data


def read(take: Callable[[int], bytes], bounds: Bounds = BOUNDS) -> bytes | None:
    """The next whole frame from `take(n)`, which gives up to n bytes and b"" at the end; None at the end."""
    head = _exactly(take, HEAD.size)
    if head is None:
        return None
    magic, text, data = HEAD.unpack(head)
    if magic != MAGIC:
        raise ProtocolError("this is not a frame: wrong first bytes")
    _check_lengths(text, data, bounds)
    body = _exactly(take, text + data)
    return None if body is None else head + body


def unpack(frame: bytes, bounds: Bounds = BOUNDS, tensor: Callable[[Any, bool], Any] | None = None) -> Message:
    """The message in a whole frame. `tensor(array, requires_grad)` builds tensors; without it they stay arrays."""
    _, size, _ = HEAD.unpack_from(frame)
    text, data = frame[HEAD.size : HEAD.size + size], memoryview(frame)[HEAD.size + size :]
    try:
        tree = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"the frame holds no readable JSON: {type(error).__name__}") from None
    if type(tree) is not list or len(tree) != 3 or type(tree[0]) is not str or type(tree[1]) is not int:
        raise ProtocolError("a message is [kind, id, value]")
    decoder = _Decoder(data, bounds, tensor)
    message = Message(tree[0], tree[1], decoder.decode(tree[2], 0))
    if decoder.at != len(data):
        raise ProtocolError("the frame carries bytes that no value uses")
    return message


def _exactly(take: Callable[[int], bytes], count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        part = take(min(count - len(parts), 1 << 20))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _check_lengths(text: int, data: int, bounds: Bounds) -> None:
    if text > bounds.json:
        raise ProtocolError(f"too much data: {text} bytes of text, {bounds.json} are allowed")
    if data > bounds.data:
        raise ProtocolError(f"too much data: {data} bytes of arrays, {bounds.data} are allowed")


def _refuse(name: str) -> None:
    raise ValueError(name)


# ----------------------------------------------------------------------------------------- encoding


class _Encoder:
    """Turns a value into JSON and collects the bytes of its arrays."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.items = 0
        self.size = 0
        self.chunks: list[bytes] = []

    def encode(self, value: Any, depth: int) -> Any:
        self.items += 1
        if depth > self.bounds.depth or self.items > self.bounds.items:
            raise ProtocolError(f"nested deeper than {self.bounds.depth} or more than {self.bounds.items} items")
        kind = type(value)
        if kind in ENCODERS:
            return ENCODERS[kind](self, value, depth)
        if kind in SCALARS:
            self._keep(np.asarray(value, DTYPES[SCALARS[kind]]))
            return {"scalar": SCALARS[kind]}
        if (array := _array_of_tensor(value)) is not None:
            return {"tensor": [*self._array(array), getattr(value, "requires_grad", False) is True]}
        raise ProtocolError(f"a value of type {kind.__name__}")

    def _keep(self, array: Any) -> None:
        self.size += array.nbytes
        if self.size > self.bounds.data:
            raise ProtocolError(f"too much data: over {self.bounds.data} bytes of arrays")
        self.chunks.append(array.tobytes())

    def _array(self, array: Any) -> list[Any]:
        if array.dtype.name not in DTYPES:
            raise ProtocolError(f"an array of dtype {array.dtype.name}")
        self._keep(array.astype(DTYPES[array.dtype.name], copy=False))
        return [array.dtype.name, list(array.shape)]

    def _str(self, value: str, depth: int) -> str:
        return _text(value)

    def _int(self, value: int, depth: int) -> Any:
        if value.bit_length() > self.bounds.bits:
            raise ProtocolError(f"an int of more than {self.bounds.bits} bits")
        return value if value.bit_length() < 64 else {"int": hex(value)}

    def _float(self, value: float, depth: int) -> Any:
        return value if math.isfinite(value) else {"float": repr(value)}

    def _complex(self, value: complex, depth: int) -> Any:
        return {"complex": [self._float(value.real, 0), self._float(value.imag, 0)]}

    def _bytes(self, value: bytes, depth: int) -> Any:
        self._keep(np.frombuffer(value, np.uint8))
        return {"bytes": len(value)}

    def _list(self, value: list[Any], depth: int) -> Any:
        return [self.encode(item, depth + 1) for item in value]

    def _tuple(self, value: tuple[Any, ...], depth: int) -> Any:
        return {"tuple": [self.encode(item, depth + 1) for item in value]}

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        for key in value:
            if type(key) not in KEYS:
                raise ProtocolError(f"a dict with a key of type {type(key).__name__}")
        return {"dict": [[self.encode(key, depth + 1), self.encode(value[key], depth + 1)] for key in value]}


KEYS = (str, int, bool, float, type(None))
ENCODERS: dict[type, Callable[[_Encoder, Any, int], Any]] = {
    type(None): lambda encoder, value, depth: value,
    bool: lambda encoder, value, depth: value,
    str: _Encoder._str,
    int: _Encoder._int,
    float: _Encoder._float,
    complex: _Encoder._complex,
    bytes: _Encoder._bytes,
    list: _Encoder._list,
    tuple: _Encoder._tuple,
    dict: _Encoder._dict,
    np.ndarray: lambda encoder, value, depth: {"array": encoder._array(value)},
}


def _text(value: str) -> str:
    """The string itself, unless it holds half of a surrogate pair, which is no text."""
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise ProtocolError("a string that is not valid Unicode")
    return value


def _array_of_tensor(value: Any) -> Any:
    """The array inside a tensorplay Tensor or Parameter, found by its shape: this module imports no engine."""
    if type(value).__module__.partition(".")[0] != "tensorplay":
        return None
    array = getattr(value, "_array", None)
    return array if type(array) is np.ndarray else None


# ----------------------------------------------------------------------------------------- decoding


class _Decoder:
    """Builds a value from checked JSON and the bytes behind it."""

    def __init__(self, data: memoryview, bounds: Bounds, tensor: Callable[[Any, bool], Any] | None) -> None:
        self.data = data
        self.bounds = bounds
        self.tensor = tensor
        self.at = 0
        self.items = 0

    def decode(self, tree: Any, depth: int) -> Any:
        self.items += 1
        if depth > self.bounds.depth or self.items > self.bounds.items:
            raise ProtocolError(f"nested deeper than {self.bounds.depth} or more than {self.bounds.items} items")
        if type(tree) is list:
            return [self.decode(item, depth + 1) for item in tree]
        if type(tree) is not dict:
            return self._plain(tree)
        if len(tree) != 1:
            raise ProtocolError("an object of the JSON has exactly one key")
        ((kind, body),) = tree.items()
        if kind not in DECODERS:
            raise ProtocolError(f"there is no value of kind {kind[:40]!r}")
        return DECODERS[kind](self, body, depth)

    def _plain(self, tree: Any) -> Any:
        if type(tree) is int and tree.bit_length() > 64:
            raise ProtocolError("an int that is too long")
        return _text(tree) if type(tree) is str else tree

    def _take(self, count: int) -> memoryview:
        if self.at + count > len(self.data):
            raise ProtocolError("the frame has fewer bytes than its arrays need")
        self.at += count
        return self.data[self.at - count : self.at]

    def _array(self, name: Any, shape: Any) -> Any:
        if type(name) is not str or name not in DTYPES:
            raise ProtocolError("an array of a dtype that is not allowed")
        _check_shape(shape)
        raw = self._take(math.prod(shape) * DTYPES[name].itemsize)
        if name == "bool":  # a byte that is neither 0 nor 1 would be a bool that equals nothing
            return (np.frombuffer(raw, np.uint8) != 0).reshape(shape)
        return np.frombuffer(raw, DTYPES[name]).astype(name).reshape(shape)

    def _int(self, body: Any, depth: int) -> int:
        if type(body) is not str or len(body) > self.bounds.bits // 4 + 3:
            raise ProtocolError("an int that is too long")
        if not HEXADECIMAL.fullmatch(body):
            raise ProtocolError("an int that is no number")
        return int(body, 16)

    def _float(self, body: Any, depth: int) -> float:
        if body not in ("nan", "inf", "-inf"):
            raise ProtocolError("a float that is neither a number nor nan, inf, -inf")
        return float(body)

    def _complex(self, body: Any, depth: int) -> complex:
        real, imag = _pair(self._sequence(body, depth))
        if type(real) is not float or type(imag) is not float:
            raise ProtocolError("a complex number has two floats")
        return complex(real, imag)

    def _bytes(self, body: Any, depth: int) -> bytes:
        if type(body) is not int or body < 0:
            raise ProtocolError("bytes have a length")
        return bytes(self._take(body))

    def _sequence(self, body: Any, depth: int) -> list[Any]:
        if type(body) is not list:
            raise ProtocolError("a list was expected")
        return [self.decode(item, depth + 1) for item in body]

    def _dict(self, body: Any, depth: int) -> dict[Any, Any]:
        if type(body) is not list:
            raise ProtocolError("a list was expected")
        pairs = [[self.decode(item, depth + 1) for item in _pair(pair)] for pair in body]
        if any(type(key) not in KEYS for key, _ in pairs):
            raise ProtocolError("a key of a dict is plain")
        return {key: value for key, value in pairs}

    def _scalar(self, body: Any, depth: int) -> Any:
        return self._array(body, [])[()]

    def _tensor(self, body: Any, depth: int) -> Any:
        if type(body) is not list or len(body) != 3 or type(body[2]) is not bool:
            raise ProtocolError("a tensor is [dtype, shape, requires_grad]")
        array = self._array(body[0], body[1])
        return array if self.tensor is None else self.tensor(array, body[2])


def _pair(body: Any) -> tuple[Any, Any]:
    if type(body) is not list or len(body) != 2:
        raise ProtocolError("a pair was expected")
    return body[0], body[1]


def _check_shape(shape: Any) -> None:
    if type(shape) is not list or len(shape) > 32:
        raise ProtocolError("a shape is a list of at most 32 lengths")
    if any(type(n) is not int or not 0 <= n < 1 << 31 for n in shape):
        raise ProtocolError("a length of a shape is a small whole number, not negative")
    if math.prod(max(n, 1) for n in shape) > 1 << 40:  # NumPy refuses these even when another length is 0
        raise ProtocolError("a shape of too many elements")


DECODERS: dict[str, Callable[[_Decoder, Any, int], Any]] = {
    "int": _Decoder._int,
    "float": _Decoder._float,
    "complex": _Decoder._complex,
    "bytes": _Decoder._bytes,
    "tuple": lambda decoder, body, depth: tuple(decoder._sequence(body, depth)),
    "dict": _Decoder._dict,
    "array": lambda decoder, body, depth: decoder._array(*_pair(body)),
    "scalar": _Decoder._scalar,
    "tensor": _Decoder._tensor,
}
