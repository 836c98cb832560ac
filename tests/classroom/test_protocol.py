"""Only plain data crosses: exact types, bounded sizes, and nothing else whatever bytes arrive."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tensorplay.classroom import protocol
from tensorplay.classroom.protocol import DTYPES, Bounds, ProtocolError, pack, read, unpack

KEYS = st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))
ARRAYS = hnp.arrays(st.sampled_from([np.dtype(name) for name in DTYPES]), hnp.array_shapes(min_dims=0, min_side=0))
PLAIN = st.recursive(
    st.one_of(KEYS, st.floats(), st.complex_numbers(), st.binary(), ARRAYS),
    lambda items: st.one_of(
        st.lists(items, max_size=3), st.lists(items, max_size=3).map(tuple), st.dictionaries(KEYS, items, max_size=3)
    ),
    max_leaves=6,
)


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return all(map(same, a, b)) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return repr(a) == repr(b)


@given(PLAIN)
@settings(max_examples=60, deadline=None)
def test_plain_data_comes_back_the_same(value):
    assert same(unpack(pack("done", 7, value)).value, value)


@pytest.mark.parametrize("name", DTYPES)
def test_scalars_and_strides_and_byte_order(name):
    scalar = np.dtype(name).type(1)
    back = unpack(pack("done", 0, scalar)).value
    assert type(back) is type(scalar)
    assert back == scalar
    grid = np.arange(12).reshape(3, 4).astype(np.dtype(name).newbyteorder(">"))[::-1, ::2]
    back = unpack(pack("done", 0, grid)).value
    assert back.dtype == np.dtype(name)
    assert np.array_equal(back, grid)
    assert back.flags.writeable


class Liar:
    def __eq__(self, other):
        return True

    __hash__ = None


class Tuple(tuple):
    def __eq__(self, other):
        return True

    __hash__ = None


class Array(np.ndarray):
    def __eq__(self, other):
        return True


class Number(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


@pytest.mark.parametrize(
    "value",
    [
        *(Liar(), Tuple((1, 2)), Number(1.0), np.zeros(2).view(Array), {Number(1): 2}, [Liar()]),
        *(object(), len, {1, 2}, range(3), iter([]), np.array([object()]), np.array(["a"]), np.longdouble(1)),
        *(1 << 5000, "\ud800", np.datetime64("2020"), {(1, 2): 3}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_is_refused(value):
    with pytest.raises(ProtocolError):
        pack("done", 0, value)


def frame(tree, data=b""):
    text = json.dumps(tree).encode() if not isinstance(tree, bytes) else tree
    return struct.pack("!4sII", b"TPC1", len(text), len(data)) + text + data


@pytest.mark.parametrize(
    "bad",
    [
        *(b"[", b"[" * 100_000, b"1" * 5000, b'["a",1,NaN]', b"\xff"),
        *({"kind": 1}, ["a", 1], [1, 1, 1], ["a", True, 1]),
        ["a", 1, {"object": "os.system"}],
        ["a", 1, {"int": "0x1", "float": "nan"}],
        ["a", 1, {"int": "0x" + "f" * 5000}],
        ["a", 1, {"int": "__import__"}],
        ["a", 1, {"float": "1e5"}],
        ["a", 1, {"array": ["object", [1]]}],
        ["a", 1, {"array": ["float64", [-1]]}],
        ["a", 1, {"array": ["float64", [1 << 30, 1 << 30]]}],
        ["a", 1, {"array": ["float64", [0, (1 << 31) - 1, (1 << 31) - 1, (1 << 31) - 1]]}],
        ["a", 1, {"array": ["float64", [True]]}],
        ["a", 1, {"array": ["float64", [0] * 40]}],
        ["a", 1, {"array": ["float64"]}],
        ["a", 1, {"bytes": -1}],
        ["a", 1, {"dict": [[[1], 2]]}],
        ["a", 1, {"dict": [[1]]}],
        ["a", 1, {"tuple": 5}],
        ["a", 1, {"scalar": "str"}],
        ["a", 1, "\ud800"],
        ["a", 1, json.loads("[" * 60 + "]" * 60)],
    ],
    ids=str,
)
def test_a_frame_that_breaks_a_rule_is_refused(bad):
    with pytest.raises(ProtocolError):
        unpack(frame(bad))


def test_bytes_that_no_value_uses_are_refused():
    with pytest.raises(ProtocolError, match="no value uses"):
        unpack(frame(["a", 1, None], b"x"))


def test_a_bool_is_a_bool_whatever_its_byte():
    value = unpack(frame(["a", 1, {"array": ["bool", [3]]}], b"\x00\x02\xff")).value
    assert value.tolist() == [False, True, True]
    assert value.view(np.uint8).tolist() == [0, 1, 1]


def test_lengths_are_checked_before_anything_is_read():
    head = struct.pack("!4sII", b"TPC1", 1 << 31, 0)
    parts = iter([head])
    with pytest.raises(ProtocolError, match="too much data"):
        read(lambda count: next(parts))  # a second read would be StopIteration
    with pytest.raises(ProtocolError, match="first bytes"):
        read(lambda count: b"HTTP/1.1 200 OK"[:count])


def test_reading_in_small_parts_and_a_broken_end():
    whole = pack("done", 3, {"x": np.arange(5)})
    rest = bytearray(whole)

    def take(count):
        part = bytes(rest[:3])[:count]
        del rest[: len(part)]
        return part

    assert read(take) == whole
    assert read(take) is None
    rest += whole[:-1]
    assert read(take) is None


def test_bounds_hold_when_packing():
    with pytest.raises(ProtocolError, match="arrays"):
        pack("done", 0, np.zeros(100), Bounds(data=99))
    with pytest.raises(ProtocolError, match="text"):
        pack("done", 0, "x" * 100, Bounds(json=99))
    with pytest.raises(ProtocolError, match="items"):
        pack("done", 0, [0] * 100, Bounds(items=99))
    loop: list = []
    loop.append(loop)
    with pytest.raises(ProtocolError, match="nested"):
        pack("done", 0, loop)


def test_tensors_cross_as_arrays_or_as_tensors():
    class Tensor:
        requires_grad = True
        _array = np.array([1.0, 2.0])

    Tensor.__module__ = "tensorplay.tensor"
    packed = pack("call", 1, [Tensor()])
    assert unpack(packed).value[0].tolist() == [1.0, 2.0]
    assert unpack(packed, tensor=lambda array, needs: (array.tolist(), needs)).value == [([1.0, 2.0], True)]


def test_the_module_documents_every_kind_of_value():
    for kind in protocol.DECODERS:
        assert f'{{"{kind}": ' in protocol.__doc__
    assert math.isnan(unpack(pack("done", 0, math.nan)).value)
