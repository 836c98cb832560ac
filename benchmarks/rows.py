"""What is measured. Each row is written once and runs under either library: the names are the same.

A row takes the library and returns `step`, which does the measured work once, and `numbers`, which
gives what it computed as arrays, so that two libraries can be shown to compute the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROWS", "Row", "Workload"]

Arrays = list[NDArray[Any]]


class Workload(NamedTuple):
    """A row made ready under one library."""

    step: Callable[[], object]
    numbers: Callable[[], Arrays]


class Row(NamedTuple):
    """A measurement: its name, what it does in words, and the function that makes it ready."""

    name: str
    what: str
    build: Callable[[Any], Workload]


def _leaf(lib: Any, seed: int, *shape: int) -> Any:
    values = np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)
    return lib.tensor(values, requires_grad=True)


def _grads(*leaves: Any) -> Arrays:
    return [np.array(leaf.grad.detach().numpy()) for leaf in leaves]


def add(lib: Any) -> Workload:
    """One recorded addition of two 2x3 leaves."""
    x, y = _leaf(lib, 1, 2, 3), _leaf(lib, 2, 2, 3)

    def step() -> Any:
        return x + y

    return Workload(step, lambda: [step().detach().numpy()])


def chain(lib: Any) -> Workload:
    """400 recorded operations on 2x3 tensors, one after the other, and their backward."""
    x, w = _leaf(lib, 1, 2, 3), _leaf(lib, 2, 2, 3)

    def step() -> None:
        x.grad = w.grad = None
        h = x
        for _ in range(200):
            h = h * w + x
        h.sum().backward()

    def numbers() -> Arrays:
        step()
        return _grads(x, w)

    return Workload(step, numbers)


def mlp(lib: Any) -> Workload:
    """One training step of a 64-64-10 network, batch 32: forward, loss, backward, SGD."""
    rng = np.random.default_rng(3)
    images = lib.tensor(rng.uniform(0, 1, (32, 64)).astype(np.float32))
    labels = lib.tensor(rng.integers(0, 10, 32))
    model = lib.nn.Sequential(lib.nn.Linear(64, 64), lib.nn.ReLU(), lib.nn.Linear(64, 10))
    with lib.no_grad():
        for parameter in model.parameters():
            parameter.copy_(lib.tensor(rng.uniform(-0.1, 0.1, tuple(parameter.shape)).astype(np.float32)))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.01)
    loss_of = lib.nn.functional.cross_entropy

    def step() -> None:
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()

    def numbers() -> Arrays:
        for _ in range(5):
            step()
        return [np.array(parameter.detach().numpy()) for parameter in model.parameters()]

    return Workload(step, numbers)


def embedding(lib: Any) -> Workload:
    """The gradient of 4096 rows, with repeats, of a 1000x64 table: the compiled scatter-add."""
    table = _leaf(lib, 4, 1000, 64)
    rows = lib.tensor(np.random.default_rng(5).integers(0, 1000, 4096))

    def step() -> None:
        table.grad = None
        table[rows].sum().backward()

    def numbers() -> Arrays:
        step()
        return _grads(table)

    return Workload(step, numbers)


ROWS = (
    Row("add", "recorded add, 2x3", add),
    Row("chain", "400-op chain, forward + backward, 2x3", chain),
    Row("mlp", "MLP 64-64-10 training step, batch 32, SGD", mlp),
    Row("embedding", "gradient of 4096 rows of a 1000x64 table", embedding),
)
