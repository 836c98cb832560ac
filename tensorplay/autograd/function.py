"""Operations of one's own: `Function`, whose forward and backward the user writes.

    class Cube(tp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    y = Cube.apply(x)

Here is what the user writes and sees; `tensorplay/custom.py` is how it is run and recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, ClassVar, NoReturn
from weakref import ref

from ..errors import FunctionError, FunctionTypeError, MissingRuleError
from ..source import warn
from . import modes
from .bridge import bridge
from .rule import saved_tensors

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

_OF_NODE = frozenset({"name", "next_functions", "metadata", "register_hook", "register_prehook"})
"""What of its node a context shows: in PyTorch the two are one object."""


class FunctionCtx:
    """The context `ctx` of one call: what forward hands to backward. Numbers and flags are attributes, `ctx.k = k`.

    Tensors belong into `save_for_backward`: only there are they checked for later edits, freed with the graph,
    and kept without a cycle that would make memory wait for the garbage collector.
    """

    needs_input_grad: tuple[bool, ...]
    """For each argument of forward whether it needs a gradient; what it does not need, backward may leave out."""

    def __init__(self, needs: tuple[bool, ...] = ()) -> None:
        self.needs_input_grad = needs
        self._kept: tuple[Any, ...] = ()
        self._kept_forward: tuple[Any, ...] | None = None
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._materialize = True
        self._node: Callable[[], Any] | None = None
        self._shown: tuple[Any, ...] | None = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `saved_tensors`. Meant to be called once; the last call holds.

        Raises FunctionTypeError for anything else: numbers and the like may be set as attributes, `ctx.k = 3.0`.
        """
        self._kept = _only_tensors("save_for_backward", "can only save variables", tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `saved_tensors` as `jvp` sees them. Raises FunctionTypeError for anything else."""
        self._kept_forward = _only_tensors("save_for_forward", "can only save variables", tensors)

    def mark_dirty(self, *tensors: Any) -> None:
        """Name the inputs that forward has edited in place. Each must also be returned.

        Raises FunctionError for what is no tensor and, once forward has ended, for an input that was not returned.

        >>> import tensorplay as tp
        >>> class Double(tp.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return 2 * grad
        >>> x = tp.ones(2, requires_grad=True)
        >>> h = x.clone()
        >>> Double.apply(h) is h
        True
        >>> h.sum().backward()
        >>> x.grad
        tensor([2., 2.])
        """
        self._dirty = _only_tensors("mark_dirty", "can only accept variables", tensors, FunctionError)
        for tensor in self._dirty:
            if tensor is not None and tensor._cell is not None:
                tensor._cell[0] += 1  # also when the memory was written behind the version's back, as with NumPy

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Name the outputs that have no gradient, such as positions. Integers have none anyway.

        Raises FunctionError for what is no tensor.
        """
        self._constant = _only_tensors("mark_non_differentiable", "only accepts variables", tensors, FunctionError)

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward is given zeros (True, as at the start) or None for an output that nothing used.

        Raises FunctionTypeError for what is no bool.
        """
        if not isinstance(value, bool):
            raise FunctionTypeError(
                f"set_materialize_grads received an invalid combination of arguments: expected a bool, got {value!r}"
            )
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved: for backward, or inside `jvp` what was saved for forward.

        Raises FreedGraphError once a backward pass has freed it, VersionError if one was edited in place since.
        """
        if self._shown is not None:
            return self._shown
        return () if self._node is None else saved_tensors(self._node())

    def __getattr__(self, name: str) -> Any:
        """What backward may ask of the recorded node, as if the context were the node."""
        if name in _OF_NODE and self._node is not None:
            return getattr(self._node(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _recorded(self, node: Any) -> None:
        """From now on the node keeps what was saved. It keeps the context too, hence only a weak reference here."""
        self._node = None if node is None else ref(node)
        self._kept, self._kept_forward = (), None
        self._dirty = self._constant = ()

    def _showing(self, tensors: tuple[Any, ...]) -> FunctionCtx:
        """The same context, whose `saved_tensors` are these."""
        other = copy(self)
        other._shown = tensors
        return other


def _only_tensors(name: str, rule: str, values: Iterable[Any], error: Any = FunctionTypeError) -> tuple[Any, ...]:
    """The values as a tuple; an error, named as PyTorch names it, unless each is a tensor or None."""
    values = tuple(values)
    for i, value in enumerate(values):
        if value is not None and not isinstance(value, bridge.Tensor):
            raise error(
                f"{name} {rule}, but argument {i} is of type {type(value).__name__}. "
                f"Other things are kept as attributes of the context, ctx.name = value"
            )
    return values


class Function:
    """An operation of one's own, with its derivative. Used as `Name.apply(...)`, never instantiated.

    Override `forward` and `backward` (or `vjp`, its other name), as static methods. `forward(ctx, *args)` does
    both jobs in one; or `forward(*args)` computes and `setup_context(ctx, inputs, output)` saves, which the
    transforms of `tp.func` need. Nothing inside forward is recorded, and backward is recorded only under
    `create_graph=True`, so a derivative written in tensor operations can be differentiated again.

    `jvp(ctx, *tangents)` is for forward mode, `vmap(info, in_dims, *args)` or `generate_vmap_rule = True` for
    batches. `label` and `formula` (LaTeX) may say what pictures show.

    >>> import tensorplay as tp
    >>> class Cube(tp.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x * x
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> y = Cube.apply(x)
    >>> y.grad_fn.name()
    'CubeBackward'
    >>> y.backward()
    >>> x.grad
    tensor(12.)
    """

    generate_vmap_rule: ClassVar[bool] = False
    """Whether `vmap` may run forward, backward and jvp as they are on a whole batch."""

    _ops: ClassVar[dict[Any, Any]]
    """What its calls look like from outside, by their form."""

    def __init_subclass__(cls) -> None:
        """A Function of its own name."""
        cls._ops = {}

    def __init__(self) -> None:
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            f"invoke them on the class itself: {type(self).__name__}.apply(...)",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: `Name.apply(...)` is how a Function is used."""
        raise FunctionError(
            f"Legacy autograd function with non-static forward method is deprecated: {type(self).__name__} was called "
            f"as an instance. Make forward and backward static methods and use {type(self).__name__}.apply(...)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result: `forward(ctx, *args)`, or `forward(*args)` beside a `setup_context`."""
        raise MissingRuleError(
            "You must implement the forward function for custom autograd.Function: "
            "a static method forward(ctx, x) that returns a tensor or a tuple"
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs: all arguments of forward, defaults too, and what it returned."""
        raise MissingRuleError(
            "setup_context is not implemented: forward takes the context itself. To save apart from computing, write "
            "forward(*args) and a static method setup_context(ctx, inputs, output)"
        )

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """From one gradient for each output to one for each argument of forward: gradᵀ · ∂output/∂argument, or None.

        A gradient has the shape of its output or argument.
        """
        raise MissingRuleError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD: a static method backward(ctx, grad) that returns one gradient per argument of forward"
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """From one tangent for each argument of forward to one for each output: Σ ∂output/∂argument · tangent."""
        raise MissingRuleError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD: "
            "a static method jvp(ctx, tangent) that returns one tangent per output"
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        """For batched arguments (in_dims says along which dimension): (output, its batch dimensions)."""
        raise MissingRuleError(
            "vmap is not implemented for this Function: write a static method vmap(info, in_dims, *args), or set "
            "generate_vmap_rule=True"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record it if an argument requires a gradient. Tensors inside lists are constants.

        Raises:
            MissingRuleError: `forward` is missing; in the backward pass, `backward` is.
            FunctionError: what was marked was not returned, or a transform of `tp.func` needs a `setup_context`.
            GradError: in the backward pass, the number or the shape of the gradients is wrong.

        >>> import tensorplay as tp
        >>> class Scale(tp.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x, k):
        ...         ctx.k = k
        ...         return x * k
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * ctx.k, None
        >>> x = tp.ones(2, requires_grad=True)
        >>> Scale.apply(x, 3.0).sum().backward()
        >>> x.grad
        tensor([3., 3.])
        """
        return bridge.call(cls, args, kwargs)

    @classmethod
    def _split(cls) -> bool:
        """Whether forward only computes, and `setup_context` saves."""
        return cls.setup_context is not Function.setup_context

    @classmethod
    def _signature(cls) -> Any:
        """The function whose arguments are named as `apply`'s."""
        return cls.forward

    @classmethod
    def _batches(cls) -> bool:
        """Whether it has a `vmap` of its own."""
        return cls.vmap is not Function.vmap

    @classmethod
    def _rule(cls) -> Callable[..., Any]:
        """The derivative, by whichever of its two names it was written."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise FunctionError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed: they are two names of "
                f"one thing, and {cls.__name__} should have only one of them"
            )
        return cls.vjp


# --------------------------------------------------------------------------- derivatives without one


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` whose own derivative would be wrong, because it leaves the tensor operations.

    It is never recorded. Differentiating its result raises FunctionError where the gradient that arrived at it
    requires one itself. Where that is a constant, the result is a constant too, as in PyTorch: a second derivative
    then lacks what would come from here.

    >>> import numpy as np
    >>> import tensorplay as tp
    >>> from tensorplay.autograd.function import once_differentiable
    >>> class Sine(tp.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return tp.from_numpy(np.sin(x.detach().numpy()))
    ...
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * tp.from_numpy(np.cos(x.detach().numpy()))
    >>> x = tp.zeros(1, requires_grad=True)
    >>> Sine.apply(x).backward()
    >>> x.grad
    tensor([1.])
    """

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with modes.recording_set_to(False):
            sent = backward(ctx, *grads)
        if not any(isinstance(g, bridge.Tensor) and g.requires_grad for g in grads):
            return sent
        several = isinstance(sent, tuple)
        made = OnceDifferentiated.apply(len(sent) if several else 1, *(sent if several else (sent,)), *grads)
        return made if several else made[0]

    return once


class OnceDifferentiated(Function):
    """The first `count` of its arguments, which are gradients, as made from the others; going back is an error."""

    label = "once"
    generate_vmap_rule = True

    @staticmethod
    def forward(count: int, *sent: Any) -> Any:
        """The gradients themselves."""
        return sent[:count]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """There is nothing to save."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> NoReturn:
        """Raise FunctionError."""
        raise FunctionError(
            "trying to differentiate twice a function that was marked with @once_differentiable: its derivative was "
            "computed outside the graph. Write backward in tensor operations and drop the decorator"
        )
