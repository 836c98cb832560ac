"""Samples become the same numbers every time, within what they ask for."""

from __future__ import annotations

import numpy as np
import pytest

from tensorplay.ops.base import arg
from tensorplay.testing import LAYOUTS, invalid_cases, materialise, valid_cases


def test_the_numbers_depend_on_the_key_alone():
    one, same, other = (materialise(arg(4), key) for key in ("a", "a", "b"))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_kinds_ranges_and_values():
    x = materialise(arg(500, low=0.5, high=0.75), "x", np.float32)
    assert x.dtype == np.float32
    assert 0.5 <= x.min() < 0.51
    assert 0.74 < x.max() <= 0.75
    assert set(materialise(arg(100, kind="int", low=0, high=3), "i").tolist()) == {0, 1, 2}
    assert materialise(arg(3, kind="bool"), "b").dtype == np.bool_
    assert materialise(arg(0, kind="int", values=[]), "e").dtype == np.int64
    assert materialise(2.5, "n") == 2.5


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_change_memory_not_numbers(layout):
    x = materialise(arg(2, 3, 4), "x")
    y = LAYOUTS[layout](x)
    assert np.array_equal(x, y)
    assert y.flags.c_contiguous == (layout == "contiguous")


def test_the_table_has_both_sorts():
    assert len(valid_cases()) > 100
    assert all(case.sample.match for case in invalid_cases())
    assert len({str(case) for case in valid_cases()}) == len(valid_cases())
