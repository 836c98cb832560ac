"""The one narrow door from the engine up to `Tensor`, so that imports still flow one way.

`tensor.py` and `recording.py` fill it in when they are imported; the engine uses it and never imports a Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .node import Node, Out

__all__ = ["Bridge", "bridge"]


class Bridge:
    """What the engine needs to know about tensors."""

    Tensor: Any
    wrap: Callable[[Any, Any], Any]
    """(array, edge) -> Tensor whose gradient goes to that edge."""
    edge_of: Callable[[Any], Any]
    """Tensor -> where its gradient goes."""
    tensors: Any
    """The namespace that records."""

    @staticmethod
    def output_edge(node: Node, which: int) -> Any:
        """The edge of a node's output, None for outputs without a gradient."""
        op = node.op
        if op.outputs[which] in op.nondiff or which >= len(op.outputs) - op.hidden:
            return None
        return Out(node, which) if node.plan.many else node


bridge = Bridge()
