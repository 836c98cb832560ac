"""The graph as the user may hold it: nodes and gradient edges, and what can be hung on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..arrays.dtypes import DType
from ..errors import (
    GradError,
    HookModeError,
    MultiGradHookError,
    NotATensorError,
    VersionTypeError,
)
from .bridge import bridge
from .hooks import Together
from .lines import bump_version
from .node import AccumulateGrad, Node, Out, RemovableHandle, check_hook, key, node_at
from .saved import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


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

    Raises GradError if the tensor needs no gradient, and NotATensorError for anything but a tensor.

    >>> import tensorplay as tp
    >>> x = tp.ones(2, requires_grad=True)
    >>> h = x * 2
    >>> edge = tp.autograd.graph.get_gradient_edge(h)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward', 0)
    >>> tp.autograd.grad((h * h).sum(), edge)
    (tensor([4., 4.]),)
    """
    edge = bridge.edge_of(_tensor(tensor))
    if edge is None:
        raise GradError(
            "It is not possible to get the gradient edge of a Tensor that does not require gradients: "
            "call requires_grad_() on it, or on what it was made from"
        )
    return GradientEdge(AccumulateGrad(edge), 0) if node_at(edge) is None else GradientEdge(*key(edge), tensor.dtype)


def _tensor(thing: Any) -> Any:
    """The tensor it is; else a NotATensorError."""
    if not isinstance(thing, bridge.Tensor):
        raise NotATensorError(f"expected a Tensor, but got {type(thing).__name__}: tp.tensor(...) makes one")
    return thing


def increment_version(tensor: Any) -> None:
    """Tell autograd that the memory of a tensor (or of each of several) was changed where it could not see it.

    Inference tensors have no version and are passed over. Raises VersionTypeError for anything but tensors.

    >>> import tensorplay as tp
    >>> x = tp.ones(2)
    >>> x.numpy()[0] = 5.0
    >>> tp.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    several = not isinstance(tensor, bridge.Tensor)
    if several and not isinstance(tensor, Iterable):
        raise VersionTypeError(f"increment_version expect a Iterable[Tensor] as input, got {type(tensor).__name__}")
    for t in tensor if several else (tensor,):
        if not isinstance(t, bridge.Tensor):
            raise VersionTypeError(
                f"increment_version expects each element of the iterable to be a tensor, got {type(t).__name__}"
            )
        if t._cell is not None:
            bump_version(t._cell, "increment_version")


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[[Any], Any], *, mode: str = "all") -> MultiGradHandle:
    """Call `fn` once in each backward pass that reaches some of the tensors.

    With mode "all", `fn(grads)` is called when the last gradient has arrived; None stands for tensors that this pass
    does not reach. With mode "any", `fn(grad)` is called with the first to arrive. What `fn` returns is ignored.

    Raises:
        HookModeError: another mode.
        MultiGradHookError: a tensor needs no gradient (mode "any" skips it).
        NotATensorError: a single tensor instead of several, or something among them that is none.
        NotCallableError: `fn` cannot be called.

    >>> import tensorplay as tp
    >>> a, b = tp.tensor(2.0, requires_grad=True), tp.tensor(3.0, requires_grad=True)
    >>> handle = tp.autograd.graph.register_multi_grad_hook([a, b], print)
    >>> (a * b).backward()
    [tensor(3.), tensor(2.)]
    >>> handle.remove()
    """
    if mode not in ("all", "any"):
        raise HookModeError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if isinstance(tensors, bridge.Tensor):
        raise NotATensorError("expected a sequence of tensors, got a Tensor, whose rows are new tensors: write [x]")
    check_hook(fn)
    needing = [t for t in tensors if _tensor(t).requires_grad]
    if mode == "all" and len(needing) < len(tensors):
        which = next(i for i, t in enumerate(tensors) if not t.requires_grad)
        raise MultiGradHookError(
            f"Expected gradient function to be set: tensor {which} needs no gradient, so none will arrive there"
        )
    whole = Together(needing, fn, mode == "any")
    return MultiGradHandle([t.register_hook(part) for t, part in zip(needing, whole.parts(), strict=True)])


class MultiGradHandle(RemovableHandle):
    """Takes a hook off all its tensors."""

    __slots__ = ("_handles",)

    def __init__(self, handles: list[RemovableHandle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        """Take the hook off. Harmless twice."""
        for handle in self._handles:
            handle.remove()
