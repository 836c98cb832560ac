"""Functions of positions inside transforms: a batch against a loop, and both modes of differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import errors
from tensorplay.testing import assert_close

F64 = tp.float64
X = tp.tensor(np.random.default_rng(1).uniform(0.5, 2, (3, 2, 3)), dtype=F64)
V = tp.tensor(np.random.default_rng(2).uniform(0.5, 2, (3, 2, 3)), dtype=F64)
LINE = tp.tensor([1, 0])
PLACES = tp.tensor([[0, 2, 0], [1, 1, 2]])
MASK = tp.tensor([[True, False, True], [False, True, True]])

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "index_select": lambda x, v: tp.index_select(x, 1, LINE) * v[:, :2],
    "index_add": lambda x, v: tp.index_add(x, 0, tp.tensor([1, 1]), v, alpha=2),
    "index_copy": lambda x, v: tp.index_copy(x, 0, LINE, v),
    "index_fill": lambda x, v: tp.index_fill(x, 1, LINE, v[0, 0]),
    "index_put": lambda x, v: tp.index_put(x, (LINE,), v, accumulate=True),
    "take": lambda x, v: tp.take(x, PLACES) * v,
    "take_along_dim": lambda x, v: tp.take_along_dim(x, PLACES, 1) * v,
    "scatter": lambda x, v: tp.scatter(x, 1, PLACES[:, 1:], v),
    "scatter_add": lambda x, v: tp.scatter_add(x, 1, PLACES, v),
    **{
        f"scatter_reduce {how} {mine}": lambda x, v, how=how, mine=mine: tp.scatter_reduce(
            x, 1, PLACES, v, how, include_self=mine
        )
        for how in ("sum", "prod", "mean", "amax", "amin")
        for mine in (True, False)
    },
    "masked_fill": lambda x, v: tp.masked_fill(x, MASK, v[0, 0]),
    "masked_scatter": lambda x, v: tp.masked_scatter(x, MASK, v),
    "topk": lambda x, v: tp.topk(x, 2).values * v[:, :2],
    "msort": lambda x, v: tp.msort(x) * v,
    "put_": lambda x, v: (x * 1).put_(tp.tensor([0, 5]), v[0, :2]),
    "x[int tensor]": lambda x, v: x[tp.tensor(1)] * v,
    "embedding": lambda x, v: tp.nn.functional.embedding(tp.tensor([1, 0]), x) * v,
    **{
        f"embedding_bag {mode}": lambda x, v, mode=mode: (
            tp.nn.functional.embedding_bag(tp.tensor([[1, 0], [1, 1]]), x, mode=mode) * v
        )
        for mode in ("sum", "mean")
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_against_a_loop(name: str) -> None:
    function = FUNCTIONS[name]
    expected = np.stack([function(X[i], V[i]).numpy() for i in range(3)])
    assert_close(tp.vmap(function)(X, V).numpy(), expected)
    expected = np.stack([function(X[i], V[0]).numpy() for i in range(3)])
    assert_close(tp.vmap(lambda x: function(x, V[0]))(X).numpy(), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_modes_and_differences(name: str) -> None:
    function = FUNCTIONS[name]
    x, v = X[0].clone().requires_grad_(), V[0].clone().requires_grad_()
    assert tp.autograd.gradcheck(function, (x, v), check_forward_ad=True)
    assert tp.autograd.gradgradcheck(function, (x, v))


def test_an_index_may_differ_between_examples() -> None:
    index = tp.tensor([[0, 1], [1, 1], [2, 0]])
    for function in (lambda x, i: tp.index_select(x, 1, i), lambda x, i: tp.index_fill(x, 1, i, 7.0)):
        expected = np.stack([function(X[k], index[k]).numpy() for k in range(3)])
        assert_close(tp.vmap(function)(X, index).numpy(), expected)


def test_what_differs_in_size_is_refused_in_a_batch() -> None:
    with pytest.raises(errors.VmapReadError):
        tp.vmap(tp.nonzero)(X)


def test_one_position_shows_the_memory() -> None:
    x = tp.zeros(2, 3)
    x[tp.tensor(1)].fill_(5)
    assert x.tolist() == [[0, 0, 0], [5, 5, 5]]


def test_an_expanded_tensor_is_written_with_a_warning() -> None:
    x = tp.zeros(1).expand(3)
    with pytest.warns(UserWarning, match="on expanded tensors is deprecated"):
        x.index_put_((tp.tensor([0, 1]),), tp.tensor(1.0), accumulate=True)
    assert (x.tolist(), x._version) == ([2, 2, 2], 1)
    with pytest.raises(errors.InPlaceError, match="single memory location"):
        x[:2] = 3


def test_a_list_of_lists_counts_as_a_tuple() -> None:
    x = tp.arange(4).reshape(2, 2)
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert x[[[0, 1], [1, 0]]].tolist() == [1, 2]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searching_all_rows_at_once(side: str) -> None:
    rng = np.random.default_rng(3)
    rows, values = np.sort(rng.integers(0, 5, (4, 7)), -1), rng.integers(-1, 7, (4, 5))
    expected = np.stack([np.searchsorted(r, v, side) for r, v in zip(rows, values, strict=True)])
    assert tp.searchsorted(tp.tensor(rows), tp.tensor(values), side=side).tolist() == expected.tolist()
