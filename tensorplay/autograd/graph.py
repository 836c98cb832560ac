"""The graph as the user may hold it: nodes and gradient edges."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.dtypes import DType
from ..errors import GradError
from .bridge import bridge
from .node import AccumulateGrad, Node, Out

__all__ = ["GradientEdge", "Node", "get_gradient_edge"]


class GradientEdge(NamedTuple):
    """A place where a gradient can be asked for: output `output_nr` of `node`. Keeps no tensor alive but the leaf's."""

    node: Any
    output_nr: int
    ownership_token: Any = None
    """Opaque, as in PyTorch. `get_gradient_edge` leaves the tensor's dtype here, which a node does not keep."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the gradients collected here."""
        if isinstance(self.node, AccumulateGrad):
            return self.node.variable.shape
        return self.node.extra.shapes[self.output_nr] if self.node.plan.many else self.node.shape

    @property
    def dtype(self) -> DType | None:
        """Their dtype; None for an edge made by hand, which cannot know."""
        leaf = self.node.variable if isinstance(self.node, AccumulateGrad) else None
        return self.ownership_token if leaf is None else leaf.dtype

    def edge(self) -> Any:
        """The same place as the engine names it."""
        if isinstance(self.node, AccumulateGrad):
            return self.node.variable
        return Out(self.node, self.output_nr) if self.node.plan.many else self.node


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge of a tensor that requires a gradient: where gradients for it are collected.

    Raises GradError if the tensor needs no gradient.

    >>> import tensorplay as tp
    >>> x = tp.ones(2, requires_grad=True)
    >>> tp.autograd.graph.get_gradient_edge(x * 2).node.name()
    'MulBackward'
    """
    edge = bridge.edge_of(tensor)
    if edge is None:
        raise GradError(
            "It is not possible to get the gradient edge of a Tensor that does not require gradients: "
            "call requires_grad_() on it, or on what it was made from"
        )
    if edge.__class__ is Node:
        return GradientEdge(edge, 0, tensor.dtype)
    if edge.__class__ is Out:
        return GradientEdge(edge.node, edge.nr, tensor.dtype)
    return GradientEdge(AccumulateGrad(edge), 0)
