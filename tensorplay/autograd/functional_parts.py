"""What the functions of `functional` share: a call of the user's function, rows and columns of a Jacobian, checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import FunctionalError, FunctionalTypeError, StrategyError
from .bridge import bridge
from .callables import check_function
from .passes import grad

__all__ = [
    "DISCONNECTED",
    "INDEPENDENT_ENTRY",
    "INDEPENDENT_GRADIENT",
    "LINEAR",
    "OUTPUTS",
    "STRICT",
    "Call",
    "Tensors",
    "as_tensors",
    "check_single",
    "check_strategy",
    "forward_jacobian",
    "gradients",
    "require_grad",
    "rows_at_once",
    "rows_one_by_one",
    "told",
    "unit_tangents",
    "zeros_like",
]

Tensors = tuple[Any, ...]
Function = Callable[..., Any]

STRICT = " This is not allowed in strict mode."
OUTPUTS = "outputs of the user-provided function"
DISCONNECTED = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
INDEPENDENT_GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function." + STRICT
)
INDEPENDENT_ENTRY = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients."
)
LINEAR = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input." + STRICT + " The function must be twice differentiable, and not linear in any input."
)


class Call:
    """One evaluation of a user's function: its inputs made ready, its results checked and handed back."""

    def __init__(self, name: str, func: Function, inputs: Any, create_graph: bool, strict: bool) -> None:
        check_function(func, name)
        self.name, self.func, self.create_graph, self.strict = name, func, create_graph, strict
        self.inputs_tuple, given = as_tensors(inputs, "inputs", name)
        self.inputs = tuple(_prepared(x, create_graph, True) for x in given)
        self.outputs_tuple = False

    def run(self) -> Tensors:
        """The outputs; in strict mode each must have history."""
        self.outputs_tuple, outputs = as_tensors(self.func(*self.inputs), OUTPUTS, self.name)
        self.require(outputs, DISCONNECTED)
        return outputs

    def first_derivative(self) -> tuple[Tensors, Tensors]:
        """The value of a function of one element, and its recorded gradient."""
        outputs = self.run()
        check_single(outputs, self.outputs_tuple, self.name)
        first = gradients(outputs, self.inputs, None, True)
        self.require(first, LINEAR)
        return outputs, first

    def require(self, tensors: Sequence[Any], message: str) -> None:
        """In strict mode, raise this message about the first tensor without history."""
        require_grad(tensors, message, self.strict)

    def vector(self, v: Any, like: Tensors, several: bool) -> Tensors:
        """The v that was given, if it has the shapes of these tensors."""
        _, given = as_tensors(v, "v", self.name)
        prepared = tuple(_prepared(x, self.create_graph, False) for x in given)
        _check_vector(prepared, like, several)
        return prepared

    def input_vector(self, v: Any) -> Tensors | None:
        """The v that was given for the inputs; None for one element."""
        if v is not None:
            return self.vector(v, self.inputs, self.inputs_tuple)
        if len(self.inputs) != 1 or self.inputs[0].numel() != 1:
            raise FunctionalError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                f"single element: got {told(self.inputs)}. Give a direction of the inputs' shapes."
            )
        return None

    def filled(self, found: Sequence[Any], like: Tensors, message: str, *, second: bool = False) -> Tensors:
        """Zeros where nothing arrived; in strict mode an error."""
        for i, g in enumerate(found):
            if self.strict and g is None:
                raise FunctionalError(message.format(i) + STRICT)
            if self.strict and self.create_graph and not g.requires_grad:
                raise FunctionalError(_constant("hessian" if second else "jacobian", i))
        return tuple(zeros_like(x) if g is None else g for g, x in zip(found, like, strict=True))

    def blocks(self, k: int, out: Any, rows: Sequence[Any]) -> Tensors:
        """The derivatives of output k by each input, from their rows (None: independent)."""
        return tuple(self._block(k, i, out, *pair) for i, pair in enumerate(zip(self.inputs, rows, strict=True)))

    def _block(self, k: int, i: int, out: Any, x: Any, found: Any) -> Any:
        if found is None:
            if self.strict:
                raise FunctionalError(f"Output {k} of the user-provided function is independent of input {i}.{STRICT}")
            return bridge.wrap(np.zeros((*out.shape, *x.shape), x._array.dtype), None)
        if self.strict and self.create_graph and not found.requires_grad:
            raise FunctionalError(_constant("jacobian", i))
        return found.reshape((*out.shape, *x.shape))

    def deliver(self, tensors: Tensors, several: bool) -> Any:
        """As the user gets them: without history unless asked for, a single one without its tuple."""
        found = tensors if self.create_graph else tuple(t.detach() for t in tensors)
        return found if several else found[0]

    def nested(self, per_output: tuple[Tensors, ...]) -> Any:
        """A tuple an output and in it a tuple an input, without the levels that the user did not ask for."""
        rows = tuple(self.deliver(row, self.inputs_tuple) for row in per_output)
        return rows if self.outputs_tuple else rows[0]


def rows_one_by_one(out: Any, inputs: Tensors, create_graph: bool) -> list[Any]:
    """For each input the gradients of every element of the output, stacked; one pass an element."""
    rows = [gradients((out,), inputs, (seed,), create_graph, retain_graph=True) for seed in _units(out)]
    return [_stacked(found, create_graph) for found in zip(*rows, strict=True)] if rows else [None] * len(inputs)


def rows_at_once(out: Any, inputs: Tensors, create_graph: bool) -> Sequence[Any]:
    """The same in one pass over a batch of seeds."""
    if not out.numel():
        return [None] * len(inputs)
    seeds = bridge.wrap(np.stack([seed._array for seed in _units(out)]), None)
    return gradients((out,), inputs, (seeds,), create_graph, retain_graph=True, is_grads_batched=True)


def _units(out: Any) -> list[Any]:
    """One seed an element: 1 there, 0 elsewhere."""
    size = out.numel()
    return [bridge.wrap(row.reshape(out.shape), None) for row in np.eye(size, dtype=out._array.dtype)]


def _stacked(rows: Sequence[Any], create_graph: bool) -> Any:
    if rows[0] is None:
        return None
    if create_graph:
        return bridge.tensors.stack(rows, 0)
    return bridge.wrap(np.stack([row._array for row in rows]), None)


def forward_jacobian(func: Function, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """A column for each element of each input: the tangents of all of them at once, under `vmap`."""
    _check_forward(create_graph, strict, vectorize)
    from . import forward_ad  # built on the engine, as this is; loaded when first asked for

    inputs_tuple, tensors = as_tensors(inputs, "inputs", "jacobian")
    given = tuple(x.detach() for x in tensors)
    seen: list[Any] = []

    def columns(*tangents: Any) -> Tensors:
        with forward_ad.dual_level():
            duals = tuple(forward_ad.make_dual(x, t) for x, t in zip(given, tangents, strict=True))
            several, outputs = as_tensors(func(*duals), OUTPUTS, "jacobian")
            pairs = [forward_ad.unpack_dual(out) for out in outputs]
            seen[:] = [several, [tuple(pair.primal.shape) for pair in pairs]]
            return tuple(zeros_like(p.primal) if p.tangent is None else p.tangent for p in pairs)

    found = bridge.vmap(columns)(*unit_tangents(given))
    several, shapes = seen
    ends = np.cumsum([0, *(x.numel() for x in given)])
    result = tuple(
        tuple(_block_of_columns(f[int(a) : int(b)], shape, x) for a, b, x in zip(ends, ends[1:], given, strict=False))
        for f, shape in zip(found, shapes, strict=True)
    )
    rows = result if inputs_tuple else tuple(row[0] for row in result)
    return rows if several else rows[0]


def unit_tangents(inputs: Sequence[Any]) -> list[Any]:
    """For each input its part of every unit tangent: one tangent an element of all inputs together."""
    total, start, found = sum(x.numel() for x in inputs), 0, []
    for x in inputs:
        size = x.numel()
        part = np.eye(total, dtype=x._array.dtype)[:, start : start + size]
        found.append(bridge.wrap(np.ascontiguousarray(part).reshape((total, *x.shape)), None))
        start += size
    return found


def _block_of_columns(columns: Any, shape: tuple[int, ...], x: Any) -> Any:
    """The derivatives of an output of this shape by x; `columns` has an element of x a row."""
    turned = columns.permute(*range(1, columns.ndim), 0)
    return turned.reshape((*shape, *x.shape)).detach()


# ------------------------------------------------------------------------------------------------ small parts


def as_tensors(given: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """(whether it was a tuple, the tuple)."""
    several = isinstance(given, tuple)
    tensors = given if several else (given,)
    for i, x in enumerate(tensors):
        if not isinstance(x, bridge.Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise FunctionalTypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(x)}."
            )
    return several, tensors


def _prepared(x: Any, create_graph: bool, need_graph: bool) -> Any:
    """A tensor of its own, so that nothing is left on the user's; connected to it under `create_graph`."""
    if create_graph and x.requires_grad:
        return bridge.tensors.reshape(x, x.shape)
    fresh = x.detach()
    fresh.requires_grad = need_graph  # the method is refused inside a transform
    return fresh


def gradients(outputs: Tensors, inputs: Tensors, v: Tensors | None, create_graph: bool, **options: Any) -> Tensors:
    """`grad` of the outputs that have history; None where there is nothing."""
    weights = (None,) * len(outputs) if v is None else v
    pairs = [(out, w) for out, w in zip(outputs, weights, strict=True) if out is not None and out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    roots, seeds = zip(*pairs, strict=True)
    return grad(roots, inputs, seeds, create_graph=create_graph, allow_unused=True, **options)


def zeros_like(x: Any, requires_grad: bool = False) -> Any:
    """Zeros of a tensor's shape and dtype, without history."""
    zeros = bridge.wrap(np.zeros(x.shape, x._array.dtype), None)
    zeros.requires_grad = requires_grad
    return zeros


def told(tensors: Tensors) -> str:
    """The shapes, for a message."""
    return " and ".join(f"one of shape {list(x.shape)}" for x in tensors) or "none"


def _constant(what: str, i: int) -> str:
    return (
        f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict mode "
        f"when create_graph=True."
    )


def require_grad(tensors: Sequence[Any], message: str, strict: bool) -> None:
    """In strict mode, raise this message about the first tensor without history."""
    for i, x in enumerate(tensors if strict else ()):
        if x is None:
            raise FunctionalError(f"The output of the user-provided function is independent of input {i}.{STRICT}")
        if not x.requires_grad:
            raise FunctionalError(message.format(i))


def check_single(outputs: Tensors, several: bool, name: str) -> None:
    """Raise FunctionalError unless it is one tensor of one element."""
    if several:
        raise FunctionalError(f"The function given to {name} should return a single Tensor, got a tuple")
    if outputs[0].numel() != 1:
        raise FunctionalError(
            f"The Tensor returned by the function given to {name} should contain a single element, "
            f"got shape {list(outputs[0].shape)}: reduce it first, as in .sum()"
        )


def _check_vector(v: Tensors, like: Tensors, several: bool) -> None:
    if len(v) != len(like):
        raise FunctionalError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (got, expected) in enumerate(zip(v, like, strict=True)):
        if got.shape != expected.shape:
            raise FunctionalError(
                f"{f'Entry {i} in ' if several else ''}v has invalid size: should be {list(expected.shape)} "
                f"but got {list(got.shape)}."
            )


def check_strategy(strategy: str) -> None:
    """Raise StrategyError for a strategy that does not exist."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise StrategyError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", got {strategy!r}. Hint: forward mode '
            f"does a pass an input element, reverse mode one an output element; take the smaller number."
        )


def _check_forward(create_graph: bool, strict: bool, vectorize: bool) -> None:
    for name, value in (("create_graph", create_graph), ("strict", strict)):
        if value:
            raise StrategyError(
                f'jacobian: `{name}=True` and `strategy="forward-mode"` are not supported together. '
                f'Set `{name}=False`, or `strategy="reverse-mode"`.'
            )
    if not vectorize:
        raise StrategyError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
            '`vectorize=True`: set it, or `strategy="reverse-mode"`.'
        )
