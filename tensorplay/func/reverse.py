"""Transforms that run a backward pass: grad, grad_and_value, vjp; and linearize, which runs two."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays.levels import Frame, entered
from ..autograd import passes
from ..autograd.modes import layer_recording, ordinary_tensors, recording_at
from ..autograd.node import node_at
from ..errors import DTypeError, TransformError, TransformInputError
from ..lifting import alias, innermost, level_of, lift
from ..tensor import Tensor, constant, edge_of, wrap
from .trees import Tree, flatten, tree_map

__all__ = ["Argnums", "Layer", "grad", "grad_and_value", "linearize", "replaced", "selected", "split_aux", "vjp"]

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


# ------------------------------------------------------------------------------------- one gradient


class Layer:
    """The layer of tensors in which a transform takes its gradient: that of the innermost vmap or jvp around it.

    What is differentiated by enters as a leaf of its own, or, where the layer tracks it already, as an alias of it,
    so that an outer gradient goes on through. What leaves is cut off unless somebody else can want its gradient.
    """

    def __init__(self) -> None:
        self.level = innermost()
        self.outer = recording_at(self.level)
        """Whether the caller records: if not, results are constants to whatever is around."""
        self.inputs: list[Tensor] = []
        self.fresh: list[Tensor] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Operations are recorded, also inside an outer `no_grad` or `inference_mode`."""
        with entered(Frame("grad")), ordinary_tensors(), layer_recording(self.level, True):
            yield

    def enter(self, x: Any) -> Tensor:
        """x as something to differentiate by."""
        if not isinstance(x, Tensor):
            raise TransformInputError(
                f"Thing passed to transform API must be Tensor, got {type(x)}: use tp.tensor(...)"
            )
        if x._array.dtype.kind not in "fc":
            raise DTypeError(
                f"only Tensors of floating point dtype can require gradients, got {x.dtype}: convert with x.float()"
            )
        x = lift(x, self.level)
        inside = alias(x, x._array) if self.outer else constant(x)
        if edge_of(inside) is None:
            inside._cell = inside._cell or [0]  # made in inference mode: an ordinary tensor here
            inside._needs_grad = True
            self.fresh.append(inside)
        self.inputs.append(inside)
        return inside

    def unknown(self, like: Tensor) -> Tensor:
        """A leaf of zeros to differentiate by, of the shape and dtype of `like`."""
        return self.enter(wrap(np.zeros(like.shape, like._array.dtype)))

    def pull(self, outs: list[Tensor], vectors: list[Any], inputs: list[Tensor], create: bool) -> list[Tensor]:
        """Σ vᵀ ∂out/∂x for each of the inputs; zeros where nothing depends on it."""
        with self._awake():  # before asking what is tracked: an output may be one of the leaves itself
            pairs = [(y, v) for y, v in zip(outs, vectors, strict=True) if self.tracks(y)]
            if not pairs:
                return [_zeros(x) for x in inputs]
            roots, seeds = zip(*pairs, strict=True)
            found = passes.grad(roots, inputs, seeds, retain_graph=True, create_graph=create, allow_unused=True)
        return [_zeros(x) if g is None else g for x, g in zip(inputs, found, strict=True)]

    def tracks(self, y: Tensor) -> bool:
        """Whether this layer has recorded how y was made."""
        return level_of(y) == self.level and edge_of(y) is not None

    @contextmanager
    def _awake(self) -> Iterator[None]:
        for leaf in self.fresh:
            leaf._needs_grad = True
        try:
            yield
        finally:
            self.rest()

    def rest(self) -> None:
        """From now on the leaves made here need no gradient: a pass that is about something else leaves them out."""
        for leaf in self.fresh:
            leaf._needs_grad = False

    def concerns_others(self, y: Any) -> bool:
        """Whether y depends on a leaf that was not made here."""
        if not isinstance(y, Tensor) or not self.tracks(y):
            return False
        own = set(map(id, self.fresh))
        stack, seen = [edge_of(y)], set()
        while stack:
            edge = stack.pop()
            node = node_at(edge)
            if node is None:
                if edge is not None and edge._needs_grad and id(edge) not in own:
                    return True
            elif node not in seen:
                seen.add(node)
                stack.extend(node.edges)
        return False

    def leave(self, y: Any) -> Any:
        """y for the caller: a constant, unless the caller records and y depends on more than the leaves made here."""
        if any(y is leaf for leaf in self.fresh):
            return constant(y)
        if not isinstance(y, Tensor) or not self.tracks(y):
            return y
        return y if self.outer and self.concerns_others(y) else constant(y)


def _zeros(x: Tensor) -> Tensor:
    return wrap(np.zeros(x.shape, x._array.dtype))


# ------------------------------------------------------------------------------------------ arguments


def selected(args: tuple[Any, ...], argnums: Any) -> Any:
    """The arguments to differentiate by: one, or a tuple of them. Raises TransformError for numbers that misfit."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise TransformError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    for number in numbers:
        if not isinstance(number, int):
            raise TransformError(f"argnums must be int or Tuple[int, ...], got: {argnums}")
        if not -len(args) <= number < len(args):
            raise TransformError(
                f"Got argnum={number}, but only {len(args)} positional inputs: they are counted from 0"
            )
    if len({number % len(args) for number in numbers}) != len(numbers):
        raise TransformError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[n] for n in numbers) if isinstance(argnums, tuple) else args[argnums]


def replaced(args: tuple[Any, ...], argnums: Any, new: Any) -> tuple[Any, ...]:
    """The arguments with those that were selected replaced."""
    pairs = zip(argnums, new, strict=True) if isinstance(argnums, tuple) else ((argnums, new),)
    changed = list(args)
    for number, value in pairs:
        changed[number] = value
    return tuple(changed)


def split_aux(result: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """(output, aux) of what a function returned; aux is None unless `has_aux`."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"a tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
        raise TransformError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True, got {got}"
        )
    return result


def outputs_of(result: Any, name: str) -> tuple[list[Tensor], Tree]:
    """The tensors a function returned, and their nest."""
    outs, tree = flatten(result)
    for y in outs:
        if not isinstance(y, Tensor):
            raise TransformError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(y)}: "
                "return other things as aux, with has_aux=True"
            )
    return outs, tree


# ----------------------------------------------------------------------------------------- transforms


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that computes the gradient of `func`, which returns a single number.

    The result looks like the argument number `argnums` (or is a tuple of such): ∂func/∂x for every tensor in it.
    With `has_aux`, `func` returns (number, something) and the result is (gradient, something).

    Raises TransformError where `func` does not return a 0-d tensor, or `argnums` does not fit its arguments.

    >>> import tensorplay as tp
    >>> tp.func.grad(tp.func.grad(lambda x: x**3))(tp.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """As `grad`, with the value itself: (gradient, value), or (gradient, (value, aux)) with `has_aux`.

    >>> import tensorplay as tp
    >>> tp.func.grad_and_value(lambda x: (x * x).sum())(tp.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        layer = Layer()
        try:
            with layer.running():
                leaves, tree = flatten(selected(args, argnums))
                inputs = tree.unflatten(map(layer.enter, leaves))
                result = func(*replaced(args, argnums, inputs), **kwargs)
                value, aux = split_aux(result, has_aux, "grad_and_value(f)(*args)")
                _check_number(value)
                create = layer.outer and layer.concerns_others(value)
            grads = layer.pull([value], [None], layer.inputs, create)
        finally:
            layer.rest()
        found = tree.unflatten(map(layer.leave, grads))
        value = layer.leave(value)
        return found, (value, tree_map(layer.leave, aux)) if has_aux else value

    return gradient_and_value


def _check_number(value: Any) -> None:
    start = "grad_and_value(f)(*args): Expected f(*args) to return a"
    if not isinstance(value, Tensor):
        raise TransformError(f"{start} Tensor, got {type(value)}: a 0-d tensor, as sum() and mean() give")
    if value.ndim:
        raise TransformError(
            f"{start} scalar Tensor, got tensor with {value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs "
            f"instead? Its shape is {list(value.shape)}; sum() or mean() makes it one number"
        )


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """(func(*primals), vjp_fn): the value, and the function v → vᵀ J, which gives one product per primal.

    `vjp_fn` can be called as often as you like. With `has_aux`: (value, vjp_fn, aux).

    >>> import tensorplay as tp
    >>> value, vjp_fn = tp.func.vjp(lambda x: x * x, tp.tensor([1.0, 2.0]))
    >>> value, vjp_fn(tp.tensor([1.0, 10.0]))
    (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    product = _Product(func, primals, has_aux, "vjp(f, *primals)")
    value = product.out_tree.unflatten(map(product.layer.leave, product.outs))
    aux = tree_map(product.layer.leave, product.aux)
    return (value, product.pull, aux) if has_aux else (value, product.pull)


class _Product:
    """A function evaluated once, its graph kept for products with its Jacobian."""

    def __init__(self, func: Function, primals: tuple[Any, ...], has_aux: bool, name: str) -> None:
        self.layer = layer = Layer()
        try:
            with layer.running():
                leaves, self.tree = flatten(primals)
                inputs = self.tree.unflatten(list(map(layer.enter, leaves)))
                result, self.aux = split_aux(func(*inputs), has_aux, name)
                self.outs, self.out_tree = outputs_of(result, name)
                self.inputs = list(layer.inputs)
                self.others = any(map(layer.concerns_others, self.outs))
        finally:
            layer.rest()

    def _create(self, vectors: list[Any]) -> bool:
        """Whether a product's own graph can be wanted by somebody."""
        layer = self.layer
        return recording_at(layer.level) and ((layer.outer and self.others) or any(map(layer.tracks, vectors)))

    def pull(self, cotangents: Any) -> tuple[Any, ...]:
        """One vector-Jacobian product for each primal."""
        vectors, tree = flatten(cotangents)
        if tree != self.out_tree:
            raise TransformError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {tree}, primal output: {self.out_tree}"
            )
        for i, (v, y) in enumerate(zip(vectors, self.outs, strict=True)):
            _check_shape(v, y, i)
        found = self.layer.pull(self.outs, vectors, self.inputs, self._create(vectors))
        return self.tree.unflatten(map(self._leave, found))

    def _leave(self, g: Tensor) -> Tensor:
        return g if self.layer.concerns_others(g) else self.layer.leave(g)


def _check_shape(v: Any, y: Tensor, i: int) -> None:
    if not isinstance(v, Tensor):
        raise TransformError(f"vjp_fn: cotangent {i} must be a Tensor, got {type(v)}")
    if v.shape != y.shape:
        raise TransformError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {list(v.shape)} and output[{i}] has a shape of "
            f"{list(y.shape)}. The vector has one weight per element of the output."
        )


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """(func(*primals), jvp_fn): the value, and the linear function t → J t, without evaluating `func` again.

    J t comes from backward passes alone: u → Jᵀ u is recorded as a function of u, and the vector-Jacobian product
    of that linear function with t is J t.

    >>> import tensorplay as tp
    >>> value, jvp_fn = tp.func.linearize(lambda x: x * x, tp.tensor([1.0, 2.0]))
    >>> jvp_fn(tp.tensor([1.0, 0.0]))
    tensor([2., 0.])
    """
    product = _Product(func, primals, False, "linearize(f, *primals)")
    layer = product.layer
    inner = Layer()
    inner.level, inner.fresh = layer.level, layer.fresh
    with inner.running():
        unknowns = [inner.unknown(y) for y in product.outs]
        sent = inner.pull(product.outs, unknowns, product.inputs, create=True)
    inner.rest()

    def push(*tangents: Any) -> Any:
        moves, tree = flatten(tangents)
        _check_tangents(moves, tree, product)
        create = recording_at(layer.level) and ((layer.outer and product.others) or any(map(layer.tracks, moves)))
        found = inner.pull(sent, moves, unknowns, create)
        return product.out_tree.unflatten(map(product._leave, found))

    return product.out_tree.unflatten(map(layer.leave, product.outs)), push


def _check_tangents(moves: list[Any], tree: Tree, product: _Product) -> None:
    if tree != product.tree:
        raise TransformError(
            f"Expected the tangents {tree} to have the same argspec as the primals {product.tree}: one for each primal"
        )
    for i, (t, x) in enumerate(zip(moves, product.inputs, strict=True)):
        if not isinstance(t, Tensor) or t.shape != x.shape:
            got = list(t.shape) if isinstance(t, Tensor) else type(t).__name__
            raise TransformError(
                f"tangent:{i} with shape {got} in flattened pytree doesn't match the shape {list(x.shape)} of the "
                "corresponding primal."
            )
