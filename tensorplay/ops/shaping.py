"""Ops that arrange the same numbers in another shape. Each has its adjoint here too."""

from __future__ import annotations

from math import prod

from ..errors import ShapeError
from .base import arg, bad, ok
from .families import Shaping

__all__ = ["Alias", "Expand", "Flip", "Permute", "Reshape", "SumTo"]


class Alias(Shaping):
    """The same tensor under another name, so that a gradient can be asked for what goes through this name alone."""

    label, formula = "alias", r"x"
    linear = (("x",),)
    lasting = True
    local = {"x": "g"}
    samples = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]

    def forward(xp, x):
        return x

    def d_x(xp, g):
        return g


class Reshape(Shaping):
    """The same elements, in order, in another shape of as many elements."""

    label, formula = "reshape", r"\mathrm{reshape}(x)"
    linear = (("x",),)
    view = True
    local = {"x": "g, reshaped back"}
    samples = [
        ok(arg(2, 3), shape=(3, 2)),
        ok(arg(2, 3), shape=(6,)),
        ok(arg(), shape=(1, 1)),
        ok(arg(0, 3), shape=(3, 0)),
        bad("ShapeError", "is invalid for input of size 6", arg(2, 3), shape=(4,)),
    ]

    def forward(xp, x, *, shape):
        return xp.reshape(x, shape)

    def d_x(xp, g, x_shape):
        return xp.reshape(g, x_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        if not isinstance(error, ValueError):  # a size that is no whole number, for one
            return error
        size = prod(arrays[0].shape)
        return ShapeError(
            f"shape '{list(params['shape'])}' is invalid for input of size {size}: "
            f"the new sizes must multiply to {size}; one of them may be -1 to be worked out"
        )


class Permute(Shaping):
    """Dimensions in another order: out[i, j] = x[j, i] for `dims` (1, 0)."""

    label, formula = "permute", r"x^{\top}"
    linear = (("x",),)
    view = True
    local = {"x": "g, dimensions put back"}
    samples = [
        ok(arg(2, 3), dims=(1, 0)),
        ok(arg(2, 3, 4), dims=(2, 0, 1)),
        ok(arg(), dims=()),
        ok(arg(0, 3), dims=(1, 0)),
    ]

    def forward(xp, x, *, dims):
        return xp.permute(x, dims)

    def d_x(xp, g, dims):
        back = sorted(range(len(dims)), key=dims.__getitem__)
        return xp.permute(g, tuple(back))


class Expand(Shaping):
    """Stretched to a larger shape without copying; the adjoint sums over what was stretched."""

    label, formula = "expand", r"\mathrm{expand}(x)"
    linear = (("x",),)
    view = True
    local = {"x": "Σ g over the stretched dimensions"}
    samples = [
        ok(arg(1, 3), shape=(2, 3)),
        ok(arg(3), shape=(2, 3)),
        ok(arg(), shape=(2,)),
        ok(arg(0, 1), shape=(0, 3)),
        bad("ShapeError", "The expanded size of the tensor (3) must match the existing size (2)", arg(2), shape=(3,)),
    ]

    def forward(xp, x, *, shape):
        return xp.expand(x, shape)

    def d_x(xp, g, x_shape):
        return xp.sum_to(g, x_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        old, new = tuple(arrays[0].shape), tuple(params["shape"])
        rank = len(new) - len(old)
        if any(n < 0 for n in new):
            return ShapeError(f"expand: sizes are at least 0, and -1 only keeps a size that is there: got {list(new)}")
        for i, n in enumerate(old, start=max(rank, 0)):
            if rank >= 0 and n not in (1, new[i]):
                return ShapeError(
                    f"The expanded size of the tensor ({new[i]}) must match the existing size ({n}) at "
                    f"non-singleton dimension {i}. Target sizes: {list(new)}. Tensor sizes: {list(old)}"
                )
        return ShapeError(
            f"expand: the number of sizes provided ({len(new)}) must be at least "
            f"the number of dimensions in the tensor ({len(old)})"
        )


class SumTo(Shaping):
    """Summed down to a shape that broadcasts to the input's: the adjoint of Expand."""

    label, formula = "Σ→", r"\sum x"
    linear = (("x",),)
    local = {"x": "g, stretched back"}
    samples = [
        ok(arg(2, 3), shape=(3,)),
        ok(arg(2, 3), shape=(2, 1)),
        ok(arg(2, 3), shape=()),
        ok(arg(0, 3), shape=(3,)),
        ok(arg(), shape=()),
    ]

    def forward(xp, x, *, shape):
        return xp.sum_to(x, shape)

    def d_x(xp, g, x_shape):
        return xp.expand(g, x_shape)


class Flip(Shaping):
    """The elements in reverse order along `dims`: a copy. It is its own adjoint."""

    label, formula = "flip", r"\mathrm{flip}(x)"
    linear = (("x",),)
    local = {"x": "g, reversed back"}
    samples = [
        ok(arg(4), dims=(0,)),
        ok(arg(2, 3), dims=(0, 1)),
        ok(arg(2, 3, 2), dims=(1,)),
        ok(arg(0, 2), dims=(0,)),
        ok(arg(), dims=()),
    ]

    def forward(xp, x, *, dims):
        return xp.flip(x, dims)

    def d_x(xp, g, dims):
        return xp.flip(g, dims)
