"""Checkpoints: a part of the forward keeps nothing and is computed once more in the backward pass.

The activations of a checkpointed function are not stored; its arguments are. When backward asks for the first
of them, the function runs again, and what it saves this time is handed to the nodes of the first run. Memory
for time: n layers in √n segments keep about 2√n activations instead of n, for one more forward.

There are two forms. The usual one (`use_reentrant=False`) records the first run under hooks for saved tensors
that keep placeholders; every kind of backward pass can go through it, also one that is differentiated again.
The older one is a `Function` that runs a backward pass of its own inside the outer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from .. import nn, random
from ..arrays.levels import frames
from ..autograd.callables import check_function
from ..autograd.engine import running
from ..autograd.function import Function, once_differentiable
from ..autograd.modes import inference_mode, recording
from ..autograd.passes import backward
from ..errors import CheckpointArgumentError, CheckpointError, CheckpointTypeError, CheckpointWarning
from ..source import warn
from ..tensor import Tensor
from .repetition import Context, Frame, same_random_numbers

__all__ = [
    "CheckpointError",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

_early_stop: ContextVar[bool | None] = ContextVar("tensorplay_checkpoint_early_stop", default=None)
_debug: ContextVar[bool | None] = ContextVar("tensorplay_checkpoint_debug", default=None)


def noop_context_fn() -> tuple[Context, Context]:
    """Two contexts that do nothing: the default of `context_fn`."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Context, Context]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, keeping nothing inside for backward but computing it again there.

    The function must do the same each time it is called with the same arguments.

    Args:
        function: what to run; it may return anything.
        args, kwargs: its arguments. Tensors among them are kept.
        use_reentrant: the older form, which takes no keyword arguments, works with `backward()` alone and
            needs an argument that requires a gradient. None means False.
        preserve_rng_state: draw the same random numbers again.
        context_fn: gives two contexts, for the first run and for the repetition.
        determinism_check: "default" compares shapes and dtypes of what is saved both times, "none" does not.
        debug: name the operations of both runs when they differ.
        early_stop: end the repetition as soon as all that is needed is there.

    Raises:
        CheckpointArgumentError: options that do not go together.
        NotCallableError: `function` cannot be called.
        CheckpointError: in the backward pass, when the repetition saves something else than the first run; at once,
            for `use_reentrant=True` inside a transform of `tp.func`.
        VersionError: in the backward pass, when an argument was edited in place in between.

    >>> import tensorplay as tp
    >>> calls = []
    >>> def block(x):
    ...     calls.append("block")
    ...     return x.tanh().exp()
    >>> x = tp.zeros(1, requires_grad=True)
    >>> tp.utils.checkpoint.checkpoint(block, x).backward()
    >>> x.grad, calls
    (tensor([1.]), ['block', 'block'])
    """
    check_function(function, "checkpoint")
    if determinism_check not in ("default", "none"):
        raise CheckpointArgumentError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check!r}"
        )
    state = random.default_generator.position() if preserve_rng_state else None
    if use_reentrant:
        _check_reentrant(args, kwargs, context_fn, debug)
        _check_transforms()
        return CheckpointFunction.apply(function, state, *args)
    if not recording():  # nothing will be asked for
        return function(*args, **kwargs)
    frame = Frame(
        function,
        state,
        compare=determinism_check == "default",
        early_stop=_chosen(_early_stop, early_stop),
        debug=_chosen(_debug, debug),
    )
    return frame.run(context_fn, args, kwargs)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Run functions, or the layers of an `nn.Sequential`, one after the other, in checkpointed segments.

    All segments but the last keep only their input. Raises CheckpointArgumentError if there cannot be so many,
    CheckpointTypeError for what is no sequence of functions or no whole number.

    >>> import tensorplay as tp
    >>> layers = [tp.tanh, tp.exp, tp.tanh, tp.exp]
    >>> x = tp.zeros(1, requires_grad=True)
    >>> tp.utils.checkpoint.checkpoint_sequential(layers, 2, x).backward()
    >>> x.grad
    tensor([0.8995])
    """
    if kwargs:
        raise CheckpointArgumentError(
            f"Unexpected keyword arguments: {','.join(kwargs)}: each function is given what the one before returned, "
            f"and nothing else"
        )
    steps = _steps(functions)
    if not isinstance(segments, int) or isinstance(segments, bool):
        raise CheckpointTypeError(f"checkpoint_sequential: segments should be a whole number, got {segments!r}")
    if not 1 <= segments <= len(steps):
        raise CheckpointArgumentError(
            f"checkpoint_sequential: cannot divide {len(steps)} functions into {segments} segments: "
            f"expected at least 1 and at most {len(steps)}"
        )
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        segment = _Chain(steps[start : start + size])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return _Chain(steps[last:])(input)


def _steps(functions: Any) -> list[Callable[[Any], Any]]:
    if not isinstance(functions, (nn.Sequential, Iterable)):
        raise CheckpointTypeError(
            f"checkpoint_sequential: object of type '{type(functions).__name__}' has no len(): expected an "
            "nn.Sequential or a list of functions"
        )
    steps = list(functions)
    for step in steps:
        check_function(step, "checkpoint_sequential")
    return steps


class _Chain:
    """Functions, one after the other, as one function."""

    def __init__(self, steps: Sequence[Callable[[Any], Any]]) -> None:
        self.steps = steps

    def __call__(self, x: Any) -> Any:
        for step in self.steps:
            x = step(x)
        return x


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Inside the block this holds instead of the `early_stop` of each checkpoint.

    >>> import tensorplay as tp
    >>> from tensorplay.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> def block(x):
    ...     y = x.exp()
    ...     print("all that is needed is there")
    ...     return y * 2
    >>> x = tp.zeros(1, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(block, x)
    all that is needed is there
    >>> y.backward()
    all that is needed is there
    """
    token = _early_stop.set(enable)
    try:
        yield
    finally:
        _early_stop.reset(token)


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Inside the block this holds instead of the `debug` of each checkpoint; None leaves it to them.

    >>> import tensorplay as tp
    >>> from tensorplay.utils.checkpoint import checkpoint, set_checkpoint_debug_enabled
    >>> x = tp.zeros(1, requires_grad=True)
    >>> with set_checkpoint_debug_enabled(True):  # errors about this checkpoint name its operations
    ...     checkpoint(tp.exp, x).backward()
    """
    token = _debug.set(enabled)
    try:
        yield
    finally:
        _debug.reset(token)


def _chosen(setting: ContextVar[bool | None], given: bool) -> bool:
    """What holds for a checkpoint: the block around it decides, if there is one."""
    value = setting.get()
    return given if value is None else value


# --------------------------------------------------------------------------------- the older form


def _check_reentrant(args: Any, kwargs: dict[str, Any], context_fn: Any, debug: bool) -> None:
    """Raise CheckpointArgumentError for what this form does not know; warn if nothing will flow through it."""
    if kwargs:
        raise CheckpointArgumentError(
            f"Unexpected keyword arguments: {','.join(kwargs)}: with use_reentrant=True a function takes positional "
            f"arguments only. use_reentrant=False allows them"
        )
    if context_fn is not noop_context_fn or debug:
        raise CheckpointArgumentError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if recording() and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
        warn(
            "None of the inputs have requires_grad=True. Gradients will be None: with use_reentrant=True gradients "
            "flow only if an argument requires one. use_reentrant=False has no such condition.",
            CheckpointWarning,
        )


def _check_transforms() -> None:
    """Raise CheckpointError inside a transform: a backward pass of its own would add to `.grad` there."""
    running = [frame.kind for frame in frames() if frame.kind != "dual"]
    if running:
        raise CheckpointError(
            f"checkpoint with use_reentrant=True does not work inside a functorch transform (vmap, grad, jvp, jacrev, "
            f"...), here {running[-1]}: its backward runs a pass of its own, which adds to `.grad`. "
            f"use_reentrant=False works there"
        )


class CheckpointFunction(Function):
    """The older form: forward unrecorded, and in backward a pass of its own over a recorded repetition."""

    label = "checkpoint"

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], state: tuple[int, int] | None, *args: Any) -> Any:
        """Run the function; keep its arguments."""
        ctx.function, ctx.state = function, state
        ctx.args = tuple(None if isinstance(a, Tensor) else a for a in args)
        ctx.places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor))
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return function(*args)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again on detached arguments, and backward from its outputs to them."""
        run = running.get()
        if run is None or run.leaves is not None:
            raise CheckpointError(
                "When use_reentrant=True, checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
                ".backward(): its own pass adds to the `.grad` of all leaves. Use use_reentrant=False, or call "
                ".backward() without `inputs`."
            )
        args = list(ctx.args)
        for i, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = saved.detach().requires_grad_(saved.requires_grad)
        with inference_mode(False), same_random_numbers(ctx.state):
            out = ctx.function(*args)
        outs = out if isinstance(out, tuple) else (out,)
        pairs = [(o, g) for o, g in zip(outs, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise CheckpointError(
                "none of output has requires_grad=True, this checkpoint() is not necessary: "
                "detach tensors outside of the function"
            )
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in args))
