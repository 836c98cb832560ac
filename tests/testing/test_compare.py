"""assert_close: what passes, what fails, and what the message says."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close, tolerances

NAN = float("nan")
Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (1, 1),
        (0.1 + 0.2, 0.3),
        (np.float64(2.0), 2.0),
        (1 + 1e-9j, 1 + 0j),
        ("text", "text"),
        (None, None),
        (True, True),
        ([], []),
        ({"a": [1.0, (2.0, "x")]}, {"a": [1.0 + 1e-12, (2.0, "x")]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.ones((2, 0)), np.zeros((2, 0))),
        (np.array([NAN, np.inf, -np.inf]), np.array([NAN, np.inf, -np.inf])),
        (np.ones(2, np.float32), np.ones(2)),
        (np.array([1, 2]), np.array([1, 2], np.int32)),
        (Pair(1, 2.0), (1, 2.0)),
    ],
)
def test_what_is_close(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (True, 1, "types differ"),
        (1, True, "types differ"),
        (1, 1.0, "types differ"),
        (np.array(1.0), 1.0, "ndarray of shape ()"),
        (1.0, np.array(1.0), "got       float 1.0"),
        ([1.0], (1.0,), "types differ"),
        ([1.0], np.ones(1), "types differ"),
        (None, 0, "types differ"),
        ("1", 1, "types differ"),
        ("a", "b", "values differ"),
        ([1, 2], [1, 2, 3], "lengths differ"),
        ([1, [2, 3]], [1, [2, 4]], "result[1][1]"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "result['a']['b']"),
        ({"a": 1}, {"b": 1}, "keys differ"),
        (np.ones((3, 1)), np.ones(3), "expected  shape (3,)"),
        (np.ones(1), np.ones(()), "shapes differ"),
        (np.ones(2, np.int64), np.ones(2), "dtype int64"),
        (np.ones(2, bool), np.ones(2, np.int64), "dtypes differ"),
        (1.001, 1.0, "difference 0.001"),
        (NAN, 1.0, "values differ"),
        (1.0, NAN, "values differ"),
        (np.inf, -np.inf, "values differ"),
        (np.inf, 1e300, "values differ"),
        (1e300, np.inf, "values differ"),
        (2**53 + 1, 2**53, "values differ"),
        (np.array([2**53 + 1]), np.array([2**53]), "values differ"),
    ],
)
def test_what_is_not(actual, expected, words):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected)
    assert words in str(caught.value)


def test_the_message_shows_the_first_wrong_element():
    got, expected = np.zeros((2, 3)), np.zeros((2, 3))
    got[0, 2], got[1, 1] = 0.5, 7.0
    with pytest.raises(AssertionError) as caught:
        assert_close(got, expected, rtol=0.0, atol=0.1, name="student.f(x)")
    assert str(caught.value) == (
        "student.f(x): values differ\n"
        "  got       0.5 at index (0, 2)\n"
        "  expected  0.0\n"
        "  difference 0.5, allowed 0.1 + 0 · |expected|\n"
        "  2 of 6 elements differ, shape (2, 3)"
    )


def test_tensors_stand_for_arrays():
    assert_close(tp.ones(2, requires_grad=True), np.ones(2, np.float32))
    assert_close(np.ones(2, np.float32), tp.ones(2))
    with pytest.raises(AssertionError, match="Tensor of shape"):
        assert_close(tp.ones(()), 1.0)


def test_tolerances_are_those_of_the_narrower_dtype():
    assert tolerances("float64") == (1e-7, 1e-7)
    assert tolerances("float64", "complex64") == tolerances("float32")
    assert tolerances("int64", "bool") == (0.0, 0.0)
    near = np.ones(1) + 1e-6
    assert_close(near.astype(np.float32), np.ones(1))
    with pytest.raises(AssertionError):
        assert_close(near, np.ones(1))


def test_tolerances_can_be_given():
    assert_close(1.05, 1.0, rtol=0.1)
    with pytest.raises(AssertionError):
        assert_close(1.05, 1.0, rtol=0.0, atol=0.01)


def test_dtypes_and_nans_can_be_exact():
    with pytest.raises(AssertionError, match="dtypes differ"):
        assert_close(np.ones(1, np.float32), np.ones(1), check_dtype=True)
    with pytest.raises(AssertionError):
        assert_close(NAN, NAN, equal_nan=False)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="cannot compare a object"):
        assert_close(object(), 1)


def test_an_object_cannot_pretend_to_be_equal():
    class Liar(float):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = float.__hash__

    with pytest.raises((AssertionError, TypeError)):
        assert_close(Liar(0.0), 1.0)
    with pytest.raises((AssertionError, TypeError)):
        assert_close({"a": Liar(0.0)}, {"a": 1.0})
