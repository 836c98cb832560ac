"""Dtypes: names, conversions, and PyTorch's promotion, compared with PyTorch pair by pair."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from tensorplay.arrays import dtypes
from tensorplay.errors import DTypeError, UnsupportedDTypeError

NUMBERS = (True, 3, 2.5, 1j)


@pytest.fixture(autouse=True)
def default_dtype() -> Iterator[None]:
    yield
    dtypes.set_default_dtype("float32")


def test_repr_and_properties() -> None:
    assert repr(dtypes.float32) == "tensorplay.float32"
    assert dtypes.float64.is_floating_point and not dtypes.complex64.is_floating_point
    assert dtypes.complex64.is_complex and dtypes.complex64.itemsize == 8
    assert not dtypes.uint8.is_signed and not dtypes.bool_.is_signed and dtypes.int8.is_signed


def test_aliases_are_the_same_objects() -> None:
    assert dtypes.float is dtypes.float32 and dtypes.double is dtypes.float64 and dtypes.half is dtypes.float16
    assert dtypes.int is dtypes.int32 and dtypes.long is dtypes.int64 and dtypes.bool is dtypes.bool_


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=repr)
def test_one_object_per_dtype(dtype: dtypes.DType) -> None:
    assert dtypes.of(dtype.numpy) is dtype
    assert copy.deepcopy(dtype) is dtype and pickle.loads(pickle.dumps(dtype)) is dtype


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, "float32"),
        (dtypes.int8, "int8"),
        ("float", "float32"),
        ("tensorplay.float16", "float16"),
        (float, "float64"),
        (bool, "bool"),
        (int, "int64"),
        (complex, "complex128"),
        (np.float32, "float32"),
        (np.dtype("uint8"), "uint8"),
    ],
)
def test_as_numpy(given: object, expected: str) -> None:
    assert dtypes.as_numpy(given) == np.dtype(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["float31", np.uint16, 3, str, object()])
def test_unknown_dtypes_are_refused(given: object) -> None:
    with pytest.raises(TypeError, match="invalid dtype"):
        dtypes.as_numpy(given)  # type: ignore[arg-type]


def test_arrays_of_other_kinds_are_refused() -> None:
    with pytest.raises(UnsupportedDTypeError, match=r"can't convert np.ndarray of type <U1") as caught:
        dtypes.of(np.array(["a"]).dtype)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, DTypeError)


def test_default_dtype_must_be_floating() -> None:
    with pytest.raises(TypeError, match="only floating-point types"):
        dtypes.set_default_dtype(dtypes.int64)
    dtypes.set_default_dtype(dtypes.float64)
    assert dtypes.as_numpy(None) == np.float64 and dtypes.default_complex_dtype() is dtypes.complex128


def test_documented_promotions() -> None:
    vector, scalar = np.ones(2, "float32"), np.ones((), "float64")
    assert dtypes.result_dtype(vector, scalar) == np.float32
    assert dtypes.result_dtype(np.ones(2, "int64"), vector) == np.float32
    assert dtypes.result_dtype(np.ones(2, "int32"), np.ones(2, "int64")) == np.int64
    assert dtypes.result_dtype(np.ones(2, "bool"), 1) == np.int64
    assert dtypes.result_dtype(np.ones(2, "uint8"), 300) == np.uint8
    assert dtypes.result_dtype(vector, np.float64(3)) == np.float32


@pytest.mark.parametrize("default", ["float32", "float64"])
def test_promotion_is_pytorchs(default: str) -> None:
    torch = pytest.importorskip("torch")
    dtypes.set_default_dtype(default)
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        for a, b in product(_operands(), repeat=2):
            theirs = torch.result_type(*(torch.from_numpy(v) if isinstance(v, np.ndarray) else v for v in (a, b)))
            if theirs is not torch.complex32:  # which NumPy has not, and complex64 stands in for
                assert f"torch.{dtypes.result_dtype(a, b).name}" == str(theirs), (a, b)
    finally:
        torch.set_default_dtype(before)


def _operands() -> list[object]:
    arrays = [np.ones(shape, dtype.numpy) for dtype in dtypes.ALL for shape in ((2,), ())]
    return [*arrays, *NUMBERS]


def test_result_dtype_refuses_what_is_no_number() -> None:
    with pytest.raises(TypeError, match="cannot promote str"):
        dtypes.result_dtype("a")
    with pytest.raises(TypeError, match="at least one operand"):
        dtypes.result_dtype()
