"""Embeddings: tables of rows that are looked up and learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import errors, nn

MAKE: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Embedding", (5, 3), {}),
    ("Embedding", (5, 3), {"padding_idx": -1}),
    ("Embedding", (5, 3), {"max_norm": 1.0, "norm_type": 1.0, "scale_grad_by_freq": True}),
    ("EmbeddingBag", (5, 3), {}),
    ("EmbeddingBag", (5, 3), {"mode": "sum", "padding_idx": 1}),
    ("EmbeddingBag", (5, 3), {"mode": "max", "max_norm": 0.5}),
]
INPUT = [[1, 4, 1], [0, 4, 2]]


@pytest.mark.parametrize(("name", "sizes", "options"), MAKE)
def test_a_layer_is_pytorchs(name: str, sizes: Any, options: Any) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = getattr(nn, name)(*sizes, **options), getattr(torch.nn, name)(*sizes, **options)
    assert repr(ours) == repr(theirs)
    theirs.load_state_dict({k: torch.tensor(v.tolist()) for k, v in ours.state_dict().items()})
    mine, other = ours(tp.tensor(INPUT)), theirs(torch.tensor(INPUT))
    np.testing.assert_allclose(mine.detach().numpy(), other.detach().numpy(), rtol=1e-5)
    (mine**2).sum().backward()
    (other**2).sum().backward()
    np.testing.assert_allclose(ours.weight.grad.numpy(), theirs.weight.grad.numpy(), rtol=1e-5)
    np.testing.assert_allclose(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), rtol=1e-5)


def test_how_a_table_starts() -> None:
    layer = nn.Embedding(1000, 20, padding_idx=3, dtype=tp.float64)
    values = layer.weight.detach().numpy()
    assert layer.weight.dtype is tp.float64 and layer.weight.requires_grad
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.03
    assert not values[3].any() and values[4].all()


@pytest.mark.parametrize("name", ["Embedding", "EmbeddingBag"])
def test_a_table_that_is_there_already(name: str) -> None:
    table = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    layer = getattr(nn, name).from_pretrained(table)
    assert not layer.weight.requires_grad and layer.weight.tolist() == table.tolist()
    assert getattr(nn, name).from_pretrained(table, freeze=False).weight.requires_grad
    with pytest.raises(errors.EmbeddingError, match="expected to be 2-dimensional"):
        getattr(nn, name).from_pretrained(tp.ones(2))


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(errors.EmbeddingError, match="must be within num_embeddings"):
        nn.Embedding(3, 2, padding_idx=3)
    with pytest.raises(errors.EmbeddingError, match="Shape of weight does not match"):
        nn.Embedding(3, 2, _weight=tp.ones(2, 2))


def test_a_bag_of_each_length() -> None:
    layer = nn.EmbeddingBag.from_pretrained(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), mode="sum")
    out = layer(tp.tensor([0, 1, 1]), tp.tensor([0, 0, 1]), per_sample_weights=tp.tensor([2.0, 1.0, 0.5]))
    assert out.tolist() == [[0, 0], [2, 4], [4.5, 6]]
