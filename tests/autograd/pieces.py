"""Small pieces the autograd tests share."""

from __future__ import annotations

import tensorplay as tp


def leaf(*values: float) -> tp.Tensor:
    return tp.tensor(list(values), requires_grad=True)


def graph_of_many_ops(x: tp.Tensor) -> tp.Tensor:
    h = (x * 2 + 1).tanh()
    values, _indices = h.reshape(2, 2).max(1)
    return (h.softmax(0)[1:] ** 2).sum() + values.mean() + (h.reshape(2, 2) @ h.reshape(2, 2)).exp().sum()
