"""Samples: their moments and shares with fixed seeds, what is drawn anew, and what is repeated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensorplay as tp

N = 40_000


def seeded() -> tp.Generator:
    return tp.Generator().manual_seed(7)


MOMENTS: dict[str, tuple[Any, float, float]] = {
    "rand": (lambda g: tp.rand(N, generator=g), 0.5, 1 / 12),
    "randn": (lambda g: tp.randn(N, generator=g), 0.0, 1.0),
    "randint": (lambda g: tp.randint(-2, 4, (N,), generator=g), 0.5, 35 / 12),
    "randint_like": (lambda g: tp.randint_like(tp.zeros(N), 6, generator=g), 2.5, 35 / 12),
    "normal": (lambda g: tp.normal(2.0, 3.0, (N,), generator=g), 2.0, 9.0),
    "normal, tensors": (lambda g: tp.normal(tp.full((N,), -1.0), tp.full((N,), 0.5), generator=g), -1.0, 0.25),
    "normal_": (lambda g: tp.zeros(N, dtype=tp.float64).normal_(1, 2, generator=g), 1.0, 4.0),
    "uniform_": (lambda g: tp.zeros(N).uniform_(-1, 3, generator=g), 1.0, 16 / 12),
    "exponential_": (lambda g: tp.zeros(N).exponential_(0.5, generator=g), 2.0, 4.0),
    "bernoulli": (lambda g: tp.bernoulli(tp.full((N,), 0.3), generator=g), 0.3, 0.21),
    "bernoulli_": (lambda g: tp.zeros(N, dtype=tp.int64).bernoulli_(0.8, generator=g), 0.8, 0.16),
    "random_": (lambda g: tp.zeros(N, dtype=tp.uint8).random_(generator=g), 127.5, (256**2 - 1) / 12),
    "real part": (lambda g: tp.from_numpy(tp.randn(N, dtype=tp.complex64, generator=g).numpy().real), 0.0, 0.5),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_mean_and_variance(name: str) -> None:
    """Within five standard errors; the variance within 5 %."""
    make, mean, variance = MOMENTS[name]
    values = make(seeded()).numpy().astype(float)
    assert abs(values.mean() - mean) < 5 * math.sqrt(variance / N)
    assert abs(values.var() / variance - 1) < 0.05


@pytest.mark.parametrize("name", MOMENTS)
def test_a_seed_repeats_it_and_goes_on(name: str) -> None:
    make = MOMENTS[name][0]
    g = seeded()
    first, second = make(g).tolist(), make(g).tolist()
    assert first != second
    assert make(g.manual_seed(7)).tolist() == first


def test_exponential_numbers_lie_as_they_should() -> None:
    """The share beyond x is exp(-λx)."""
    values = tp.zeros(N).exponential_(2.0, generator=seeded()).numpy()
    for x in (0.1, 0.5, 1.0, 2.0):
        assert abs((values > x).mean() - math.exp(-2 * x)) < 0.01


@pytest.mark.parametrize("replacement", [False, True])
def test_the_first_of_several_samples_has_the_share_of_its_weight(replacement: bool) -> None:
    weights = tp.tensor([0.0, 1.0, 2.0, 5.0]).expand(N, 4)
    drawn = tp.multinomial(weights, 2, replacement, generator=seeded()).numpy()
    shares = np.bincount(drawn[:, 0], minlength=4) / N
    assert np.allclose(shares, [0, 0.125, 0.25, 0.625], atol=0.01)
    pairs = (drawn[:, 0] == drawn[:, 1]).mean()
    assert abs(pairs - (0.125**2 + 0.25**2 + 0.625**2) * replacement) < 0.01


def test_without_replacement_the_second_share_is_that_of_the_rest() -> None:
    drawn = tp.multinomial(tp.tensor([1.0, 1.0, 2.0]).expand(N, 3), 2, generator=seeded()).numpy()
    after_two = drawn[drawn[:, 0] == 2, 1]
    assert abs((after_two == 0).mean() - 0.5) < 0.02
    after_zero = drawn[drawn[:, 0] == 0, 1]
    assert abs((after_zero == 2).mean() - 2 / 3) < 0.02


def test_a_sample_in_place_is_an_edit_through_which_nothing_flows() -> None:
    x = tp.ones(3, requires_grad=True)
    y = x * 2
    before = y._version
    y.normal_(generator=seeded())
    assert y._version == before + 1 and y.requires_grad
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_in_place_in_a_view_changes_its_base() -> None:
    x = tp.zeros(2, 3)
    x[0].uniform_(1, 2)
    assert (x[0] >= 1).all() and not x[1].any()


@pytest.mark.parametrize(("randomness", "different"), [("same", False), ("different", True)])
def test_examples_of_a_vmap(randomness: str, different: bool) -> None:
    def f(x: tp.Tensor) -> tuple[tp.Tensor, ...]:
        weights = tp.ones(50)
        return (x * 0).normal_(), tp.normal(0.0, 1.0, (3,)), tp.multinomial(weights, 3), tp.bernoulli(weights, 0.5)

    for out in tp.vmap(f, randomness=randomness)(tp.zeros(2, 3)):
        assert bool((out[0] != out[1]).any()) is different


def test_the_state_of_a_generator_is_a_tensor_of_bytes() -> None:
    g = seeded()
    tp.rand(9, generator=g)
    state = g.get_state()
    assert (state.dtype, state.shape) == (tp.uint8, (24,))
    other = tp.Generator()
    other.set_state(state)
    assert tp.rand(3, generator=other).tolist() == tp.rand(3, generator=g).tolist()
    for wrong, error in ((1, TypeError), (tp.zeros(24), TypeError), (state[:3], tp.errors.RangeError)):
        with pytest.raises(error, match="state"):
            g.set_state(wrong)
