"""Transforms that run a backward pass: grad, grad_and_value, vjp; and linearize, which runs two."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays.levels import Frame, entered
from ..autograd import passes
from ..autograd.callables import check_function
from ..autograd.functional_parts import zeros_like
from ..autograd.modes import layer_recording, ordinary_tensors, recording_at
from ..autograd.node import node_at
from ..errors import DTypeError, TransformError, TransformInputError, TransformTypeError
from ..lifting import alias, born_at, innermost, level_of, lift, moment
from ..tensor import Tensor, constant, edge_of, wrap
from .arguments import Argnums, outputs_of, replaced, selected, split_aux
from .trees import Tree, flatten, tree_map

__all__ = ["Layer", "grad", "grad_and_value", "linearize", "vjp"]

Function = Callable[..., Any]


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
        self.born: int | None = None
        self.ended: int | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Operations are recorded, also inside an outer `no_grad` or `inference_mode`."""
        self.born, self.ended = moment(), None
        frame = Frame("grad", born=self.born, inputs=self.inputs)
        try:
            with entered(frame), ordinary_tensors(), layer_recording(self.level, True):
                yield
        finally:
            self.ended = moment()

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
                return [zeros_like(x) for x in inputs]
            roots, seeds = zip(*pairs, strict=True)
            found = passes.grad(roots, inputs, seeds, retain_graph=True, create_graph=create, allow_unused=True)
        return [zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)]

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
        """Whether y depends on a leaf that was not made here, nor by the function while it ran."""
        if not isinstance(y, Tensor) or not self.tracks(y):
            return False
        own = set(map(id, self.fresh))
        stack, seen = [edge_of(y)], set()
        while stack:
            edge = stack.pop()
            node = node_at(edge)
            if node is None:
                if edge is not None and edge._needs_grad and id(edge) not in own and not self._made_inside(edge):
                    return True
            elif node not in seen:
                seen.add(node)
                stack.extend(node.edges)
        return False

    def _made_inside(self, leaf: Tensor) -> bool:
        made = born_at(leaf)
        if made is None or self.born is None or made < self.born:
            return False
        return self.ended is None or made < self.ended

    def leave(self, y: Any) -> Any:
        """y for the caller: a constant, unless the caller records and y depends on more than the leaves made here."""
        if any(y is leaf for leaf in self.fresh):
            return constant(y)
        if not isinstance(y, Tensor) or not self.tracks(y):
            return y
        return y if self.outer and self.concerns_others(y) else constant(y)


# ----------------------------------------------------------------------------------------- transforms


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that computes the gradient of `func`, which returns a single number.

    The result looks like the argument number `argnums` (or is a tuple of such): ∂func/∂x for every tensor in it.
    With `has_aux`, `func` returns (number, something) and the result is (gradient, something).

    Inside, edits in place are for tensors made inside, and what is to require a gradient is not changed. Leaves that
    `func` makes itself are constants to the outside: the result does not require a gradient because of them.

    Raises TransformError where `func` does not return a 0-d tensor, `argnums` does not fit its arguments, or
    `requires_grad_()` is called inside; InPlaceError for an edit of an argument or of a tensor from outside.

    >>> import tensorplay as tp
    >>> tp.func.grad(tp.func.grad(lambda x: x**3))(tp.tensor(2.0))
    tensor(12.)
    """
    check_function(func, "grad")
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """As `grad`, with the value itself: (gradient, value), or (gradient, (value, aux)) with `has_aux`.

    Raises TransformError as `grad` does.

    >>> import tensorplay as tp
    >>> tp.func.grad_and_value(lambda x: (x * x).sum())(tp.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    check_function(func, "grad_and_value")

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

    `vjp_fn` can be called as often as you like; v has the shape of the value, None stands for 1. With `has_aux`:
    (value, vjp_fn, aux). Raises TransformError, or TransformTypeError, for a v that does not fit.

    Raises TransformError where `func` returns something else than tensors; `vjp_fn` does where v has not the form
    and the shapes of the value.

    >>> import tensorplay as tp
    >>> value, vjp_fn = tp.func.vjp(lambda x: x * x, tp.tensor([1.0, 2.0]))
    >>> value, vjp_fn(tp.tensor([1.0, 10.0]))
    (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    product = _Product(func, primals, has_aux, "vjp(f, *primals)")
    value = product.out_tree.unflatten(map(product.layer.leave, product.outs))
    aux = tree_map(product.layer.leave, product.aux)

    def vjp_fn(cotangents: Any) -> tuple[Any, ...]:
        """One vector-Jacobian product for each primal."""
        return product.pull(cotangents)

    vjp_fn.__qualname__ = vjp_fn.__name__
    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


class _Product:
    """A function evaluated once, its graph kept for products with its Jacobian."""

    def __init__(self, func: Function, primals: tuple[Any, ...], has_aux: bool, name: str) -> None:
        check_function(func, name)
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
        return recording_at(layer.level) and (
            (layer.outer and self.others) or any(layer.tracks(v) for v in vectors if v is not None)
        )

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
    if v is None:  # 1, which a backward pass allows for outputs of one element
        return
    if not isinstance(v, Tensor):
        raise TransformTypeError(
            f"gradients can be either Tensors or None, but got {type(v).__name__} as cotangent {i}: tp.tensor(...) "
            "makes a tensor"
        )
    if v.shape != y.shape:
        raise TransformError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {list(v.shape)} and output[{i}] has a shape of "
            f"{list(y.shape)}. The vector has one weight per element of the output."
        )


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """(func(*primals), jvp_fn): the value, and the linear function t → J t, without evaluating `func` again.

    J t comes from backward passes alone: u → Jᵀ u is recorded as a function of u, and the vector-Jacobian product
    of that linear function with t is J t.

    Raises TransformError where `func` returns something else than tensors; `jvp_fn` does where t has not the form
    and the shapes of the primals.

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
