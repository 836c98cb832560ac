"""What the tests of lifetimes share: the garbage collector is off, and what is left over is found."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import tensorplay as tp


@pytest.fixture(autouse=True, scope="module")
def quick_collections() -> Iterator[None]:
    """What was there before is left out of every collection in this file."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    gc.collect()


class Witness:
    """Something a hook can hold; a weak reference to it tells whether the hook is still there."""


def nodes_of(y: tp.Tensor) -> list[Any]:
    """The nodes behind a tensor."""
    found, stack = [], [y.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found and node.name() != "AccumulateGrad":
            found.append(node)
            stack += [next_node for next_node, _ in node.next_functions]
    return found


def alive(references: list[weakref.ref[Any]]) -> list[Any]:
    return [thing for reference in references if (thing := reference()) is not None]


def garbage() -> list[Any]:
    """What of ours was left to the collector."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return [thing for thing in gc.garbage if type(thing).__module__.startswith("tensorplay")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
