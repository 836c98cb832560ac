"""Nested lists: shapes, the dtype PyTorch would choose, and what is said about ragged ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorplay.arrays.nested import from_sequence
from tensorplay.errors import DTypeError, RaggedError

GOOD: list[Any] = [
    3,
    2.5,
    True,
    1j,
    [],
    [[], []],
    [1, True],
    [1, 2.5, True],
    [1, 2j],
    [[1, 2], [3, 4]],
    ((1.0,), [2]),
    range(3),
    [np.float64(1)],
    [np.float32(1), 2],
    [1, np.float64(2)],
    [np.int32(1), 2],
    [np.int32(1), np.int8(2)],
    [np.bool_(True)],
    [np.ones(2), np.zeros(2)],
    [[np.ones(2, "int32")], [[3, 4]]],
]


@pytest.mark.parametrize("data", GOOD, ids=repr)
@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy")
def test_like_pytorch(data: Any) -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.tensor(data).numpy()
    ours = from_sequence(data)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    assert ours.shape == theirs.shape


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1, 2], [3]], r"expected sequence of length 2 at dim 1 \(got 1\)"),
        ([[[1, 2]], [[3]]], r"expected sequence of length 2 at dim 2 \(got 1\)"),
        ([[1, 2], 3], r"expected sequence of length 2 at dim 1 \(got 3\)"),
        ([1, [2]], r"expected a number at dim 1 \(got a sequence of length 1\)"),
        ([[1, 2], [3, [4]]], r"expected a number at dim 2"),
        ([np.ones(2), np.ones(3)], r"expected sequence of length 2 at dim 1 \(got 3\)"),
        ([[], [1]], r"expected sequence of length 0 at dim 1 \(got 1\)"),
    ],
)
def test_ragged(data: Any, message: str) -> None:
    with pytest.raises(RaggedError, match=message) as caught:
        from_sequence(data)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("data", ["a", ["a"], [1, "a"], b"ab"])
def test_text(data: Any) -> None:
    with pytest.raises(TypeError, match="invalid data type"):
        from_sequence(data)


@pytest.mark.parametrize("data", [None, [None], {}, {1, 2}, [[1], [{}]], object()])
def test_no_numbers(data: Any) -> None:
    with pytest.raises(RuntimeError, match="Could not infer dtype of"):
        from_sequence(data)


def test_overflow_is_said() -> None:
    with pytest.raises(DTypeError, match=r"value cannot be converted to type tensorplay\.uint8 without overflow"):
        from_sequence([300], np.dtype("uint8"))
    with pytest.raises(DTypeError, match="without overflow"):
        from_sequence(10**30)


def test_floats_are_cut_off_in_an_integer_dtype() -> None:
    assert from_sequence([1.7, -1.7], np.dtype("int64")).tolist() == [1, -1]


def test_the_array_is_new() -> None:
    row = np.ones(2)
    from_sequence([row])[0, 0] = 7
    assert row[0] == 1
