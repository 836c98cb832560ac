"""Philox: the published answers, independence of how a stream is cut, and the distributions."""

from __future__ import annotations

import numpy as np
import pytest

from tensorplay.arrays import philox

FLOATS = [np.dtype("float16"), np.dtype("float32"), np.dtype("float64")]
ALL_ONES = (1 << 64) - 1, (1 << 128) - 1


def words(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        (0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (*ALL_ONES, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        # the digits of π, least significant word first
        (
            0x299F31D0_A4093822,
            0x03707344_13198A2E_85A308D3_243F6A88,
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
    ids=["zeros", "ones", "pi"],
)
def test_known_answers_of_random123(key: int, counter: int, expected: str) -> None:
    assert philox.bits(key, counter, 4).tolist() == words(expected)


def test_a_stream_is_the_same_however_it_is_cut() -> None:
    whole = philox.bits(7, 100, 22)
    pieces = [philox.bits(7, 100 + block, 4) for block in range(6)]
    assert whole.dtype == np.uint32 and whole.shape == (22,)
    np.testing.assert_array_equal(whole, np.concatenate(pieces)[:22])


@pytest.mark.parametrize("edge", [1 << 32, 1 << 64, 1 << 128])
def test_counters_carry_and_wrap(edge: int) -> None:
    across = philox.bits(3, edge - 1, 8)
    np.testing.assert_array_equal(across[4:], philox.bits(3, edge % (1 << 128), 4))
    assert across[:4].tolist() != across[4:].tolist()


def test_keys_give_different_streams() -> None:
    assert (philox.bits(0, 0, 400) == philox.bits(1 << 32, 0, 400)).sum() < 3


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_uniform(dtype: np.dtype) -> None:
    u = philox.uniform(1, 0, (200, 100), dtype)
    assert u.dtype == dtype and u.shape == (200, 100)
    assert u.min() >= 0 and u.max() < 1
    wide = u.astype(np.float64)
    assert abs(wide.mean() - 0.5) < 0.01 and abs(wide.var() - 1 / 12) < 0.002
    counts = np.histogram(wide, bins=10, range=(0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 28  # chi-square with 9 degrees of freedom, 0.1 %


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal(dtype: np.dtype) -> None:
    z = philox.normal(2, 0, (199, 101), dtype).astype(np.float64)
    assert abs(z.mean()) < 0.03 and abs(z.var() - 1) < 0.04
    assert abs((z**3).mean()) < 0.08 and abs((z**4).mean() - 3) < 0.2
    assert abs(np.corrcoef(z.ravel()[:-1], z.ravel()[1:])[0, 1]) < 0.03


def test_float32_normal_numbers_are_pinned() -> None:
    """A change of these numbers changes every seeded program."""
    expected = [0.991137683391571, -0.9246625900268555, -0.6176089644432068]
    got = philox.normal(0, 0, (3,), np.dtype("float32"))
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3)])
@pytest.mark.parametrize("fill", [philox.uniform, philox.normal])
def test_small_shapes_are_arrays(fill: object, shape: tuple[int, ...]) -> None:
    out = fill(0, 0, shape, np.dtype("float32"))  # type: ignore[operator]
    assert isinstance(out, np.ndarray) and out.shape == shape


def test_integers_cover_their_range_evenly() -> None:
    values = philox.integers(5, 0, -3, 4, (7000,))
    assert values.dtype == np.int64
    counts = np.bincount(values + 3)
    assert len(counts) == 7 and ((counts - 1000) ** 2 / 1000).sum() < 22.5


def test_integers_of_the_widest_range() -> None:
    values = philox.integers(5, 0, -(2**63), 2**63 - 1, (100,))
    assert (values < 0).any() and (values > 0).any()


def test_permutation() -> None:
    order = philox.permutation(9, 0, 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert (order == np.arange(1000)).sum() < 10
    assert philox.permutation(9, 0, 0).shape == (0,)
