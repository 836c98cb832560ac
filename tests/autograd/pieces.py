"""Small pieces the autograd tests share."""

from __future__ import annotations

from typing import Any

import tensorplay as tp


def one(lib: Any, *values: float) -> Any:
    """A leaf of either library."""
    return lib.tensor(list(values), requires_grad=True)


def numbers(grads: Any) -> Any:
    """Gradients of one element as numbers, None where there is none."""
    return [None if g is None else g.item() for g in grads]


def told(log: list[Any], word: Any, value: Any) -> Any:
    """The value, after writing the word down."""
    log.append(word)
    return value


def leaf(*values: float) -> tp.Tensor:
    return tp.tensor(list(values), requires_grad=True)


def graph_of_many_ops(x: tp.Tensor) -> tp.Tensor:
    h = (x * 2 + 1).tanh()
    values, _indices = h.reshape(2, 2).max(1)
    return (h.softmax(0)[1:] ** 2).sum() + values.mean() + (h.reshape(2, 2) @ h.reshape(2, 2)).exp().sum()
