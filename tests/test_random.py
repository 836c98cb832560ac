"""Random tensors: repeatable, independent, and within their bounds."""

from __future__ import annotations

import threading

import pytest

import tensorplay as tp
from tensorplay.errors import DTypeError, RangeError
from tensorplay.random import rand_like, randn_like


def numbers() -> list[object]:
    return [tp.rand(3).tolist(), tp.randn(2, 2).tolist(), tp.randint(10, (4,)).tolist(), tp.randperm(6).tolist()]


def test_the_same_seed_gives_the_same_numbers() -> None:
    tp.manual_seed(3)
    first = numbers()
    assert numbers() != first
    tp.manual_seed(3)
    assert numbers() == first
    tp.manual_seed(4)
    assert numbers() != first


def test_a_generator_is_independent_of_the_default() -> None:
    tp.manual_seed(0)
    expected = tp.rand(3).tolist()
    g = tp.Generator().manual_seed(0)
    tp.manual_seed(5)
    tp.rand(10)
    assert tp.rand(3, generator=g).tolist() == expected


def test_state_can_be_stored_and_restored() -> None:
    g = tp.Generator().manual_seed(1)
    tp.rand(5, generator=g)
    state = g.get_state()
    expected = tp.randn(5, generator=g).tolist()
    g.set_state(state)
    assert tp.randn(5, generator=g).tolist() == expected
    g.set_state(state)
    assert g.position() == (1, 2)  # five words are two blocks


def test_seeds() -> None:
    assert tp.manual_seed(-1).initial_seed() == 2**64 - 1
    assert tp.Generator().initial_seed() != tp.Generator().initial_seed()
    with pytest.raises(ValueError, match="64 bits"):
        tp.manual_seed(2**64)
    with pytest.raises(TypeError):
        tp.manual_seed(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(), (0,), (3,), (2, 3)])
def test_shapes_and_dtypes(size: tuple[int, ...]) -> None:
    assert tp.rand(size).shape == size and tp.randn(size, dtype=tp.float64).dtype is tp.float64
    assert tp.randint(5, size).shape == size and tp.randint(0, 5, size, dtype=tp.float32).dtype is tp.float32
    assert rand_like(tp.zeros(size)).shape == size and randn_like(tp.zeros(size)).shape == size
    assert tp.rand(size, requires_grad=True).requires_grad


def test_randint_by_position_and_by_name() -> None:
    for x in (tp.randint(4, 6, (50,)), tp.randint(low=4, high=6, size=(50,)), tp.randint(4, high=6, size=(50,))):
        assert set(x.tolist()) == {4, 5}
    assert set(tp.randint(high=2, size=(50,)).tolist()) == {0, 1}


def test_errors() -> None:
    with pytest.raises(RangeError, match="low=5 >= high=5"):
        tp.randint(5, 5, (2,))
    with pytest.raises(TypeError, match="randint"):
        tp.randint(5)
    with pytest.raises(TypeError, match="randint"):
        tp.randint(5, (2,), lo=3)
    with pytest.raises(DTypeError, match=r"tp\.randint"):
        tp.rand(2, dtype=tp.int64)
    with pytest.raises(DTypeError, match="Only Tensors of floating point"):
        tp.randperm(3, requires_grad=True)


def test_threads_never_share_numbers() -> None:
    g = tp.Generator().manual_seed(0)
    drawn: list[float] = []

    def draw() -> None:
        for _ in range(20):
            drawn.extend(tp.rand(4, generator=g, dtype=tp.float64).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 4 * 20 * 4
