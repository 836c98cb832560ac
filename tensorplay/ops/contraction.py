"""Sums of products over shared dimensions."""

from __future__ import annotations

from math import prod

from ..errors import ShapeError
from .base import arg, bad, ok
from .families import Contraction, product_error

__all__ = ["Linear", "MatMul", "check_bias", "flat_error"]


def flat_error(name: str, x: tuple[int, ...], w: tuple[int, ...]) -> ShapeError:
    """What is wrong with a product of which one side is a single number."""
    return ShapeError(
        f"both arguments to {name} need to be at least 1D, but they are {len(x)}D and {len(w)}D: "
        "a single number is multiplied with *, or made a vector of one element with x.reshape(1)"
    )


def check_bias(x: tuple[int, ...], w: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raise ShapeError unless a bias of shape b can be added to x · wᵀ without stretching that."""
    if b == w[:1] or x[-1:] != w[-1:]:  # as it should be, or wrong in another way
        return
    out = x[:-1] + w[:-1]
    wanted = f"a layer with {(*w[:-1], 1)[0]} outputs needs a bias of shape {list(w[:-1])}, got {list(b)}"
    if len(b) > len(out):
        raise ShapeError(
            f"the number of sizes provided ({len(out)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(b)}): {wanted}"
        )
    for i, (have, size) in enumerate(zip(reversed(b), reversed(out), strict=False), 1):
        if have not in (1, size):
            raise ShapeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({have}) at non-singleton "
                f"dimension {len(out) - i}: {wanted}"
            )


class MatMul(Contraction):
    """Matrix product over the last two dimensions, leading ones broadcast: out[i, j] = Σₖ x[i, k] y[k, j]."""

    label, formula = "@", r"x\,y"
    linear = (("x",), ("y",))
    infix = True
    local = {"x": "g · yᵀ", "y": "xᵀ · g"}
    samples = [
        ok(arg(2, 3), arg(3, 4)),
        ok(arg(5, 2, 3), arg(3, 4)),
        ok(arg(5, 2, 3), arg(5, 3, 4)),
        ok(arg(0, 3), arg(3, 2)),
        bad("ShapeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", arg(2, 3), arg(2, 3)),
    ]

    def forward(xp, x, y):
        return x @ y

    def d_x(xp, g, y):
        return g @ xp.T(xp.conj(y))

    def d_y(xp, g, x):
        return xp.T(xp.conj(x)) @ g


def _rows(xp, x):
    """All leading dimensions as one: a matrix with a row for each example."""
    return x if len(x.shape) == 2 else xp.reshape(x, (prod(x.shape[:-1]), x.shape[-1]))


class Linear(Contraction):
    """A fully connected layer, x · wᵀ + b, for x (…, in), w (out, in), b (out,)."""

    label, formula = "linear", r"x\,w^{\top} + b"
    fits = False
    local = {"x": "g · w", "w": "gᵀ · x", "b": "Σ g over the examples"}
    samples = [
        ok(arg(4, 3), arg(2, 3), arg(2)),
        ok(arg(5, 4, 3), arg(2, 3), arg(2)),
        ok(arg(0, 3), arg(2, 3), arg(2)),
        bad("ShapeError", "mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)", arg(4, 5), arg(2, 3), arg(2)),
    ]

    def forward(xp, x, w, b):
        return x @ xp.T(w) + b

    def d_x(xp, g, w):
        return g @ xp.conj(w)

    def d_w(xp, g, x):
        return xp.T(_rows(xp, g)) @ _rows(xp, xp.conj(x))

    def d_b(xp, g, b_shape):
        return xp.sum_to(g, b_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        x, w, b = (tuple(a.shape) for a in arrays)
        if not x or not w:
            return flat_error("linear", x, w)
        if len(w) == 2 and x[-1:] == w[1:] and b != w[:1]:
            return ShapeError(f"a layer with {w[0]} outputs needs a bias of shape [{w[0]}], got {list(b)}")
        return product_error(x, w[::-1], error)
