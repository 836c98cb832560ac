"""The one narrow door from the engine up to `Tensor`, so that imports still flow one way.

The modules above (`tensor.py`, `recording.py`, `lifting.py`, `tangents.py`, …) fill it in when they are imported; the
engine uses it and never imports a Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Node

__all__ = ["Bridge", "bridge"]


class Bridge:
    """What the engine needs to know about tensors."""

    Tensor: Any
    wrap: Callable[[Any, Any], Any]
    """(array, edge) -> Tensor whose gradient goes to that edge."""
    edge_of: Callable[[Any], Any]
    """Tensor -> where its gradient goes."""
    outdated: Callable[[Any], bool]
    """Tensor -> whether it is a view whose history is not yet that of its edited base."""
    tensors: Any
    """The namespace that records."""
    stopped: Callable[[Any], Any]
    """Tensor -> a constant of every layer."""
    dual_space: Callable[[int], Any]
    """Level -> what a dual level of `forward_ad` computes in."""
    moving: Callable[[Any, Any, int], Any]
    """(primal, tangent, level) -> dual Tensor."""
    apart: Callable[[Any, int], tuple[Any, Any]]
    """(dual Tensor, level) -> (primal, tangent)."""
    settled: Callable[[Any], Any]
    """Tensor -> its primal if the level it moved at has ended, else itself."""
    vmap: Callable[[Callable[..., Any]], Callable[..., Any]]
    """function -> the function mapped over the first dimension of its arguments."""
    call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
    """(Function, arguments, keyword arguments) -> what its `apply` returns."""
    called: Callable[[Node, tuple[Any, ...]], Any]
    """(node, gradients) -> what its rule sends on."""
    in_batch: Callable[[Callable[..., Any], list[Any], int], Any]
    """(function, gradients, count) -> its result on a batch of gradients, as tensors of a vmap."""


bridge = Bridge()
