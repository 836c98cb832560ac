"""A `Function` inside transforms gives what the same mathematics in ordinary operations gives, and its own backward."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd import Function, forward_ad
from tensorplay.testing import assert_close

f = tp.func


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * 3

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * x * x * 3


class Exp(Function):
    """Saves its result; only for forward mode in `save_for_backward`'s place."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return t * ctx.saved_tensors[0]


class MulAdd(Function):
    """k·a·b and a + b: two outputs, a number, a `vmap` of its own."""

    @staticmethod
    def forward(a, k, b):
        return a * b * k, a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, ctx.k, b = inputs
        ctx.save_for_backward(a, b)
        ctx.save_for_forward(a, b)

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b * ctx.k + h, None, g * a * ctx.k + h

    @staticmethod
    def jvp(ctx, ta, _, tb):
        a, b = ctx.saved_tensors
        return (ta * b + tb * a) * ctx.k, ta + tb

    @staticmethod
    def vmap(info, in_dims, a, k, b):
        assert (info.batch_size, info.randomness) == (3, "error")
        rows = [x if d is not None else x.unsqueeze(0) for x, d in ((a, in_dims[0]), (b, in_dims[2]))]
        return MulAdd.apply(rows[0], k, rows[1]), (0, 0)


class Pieces(NamedTuple):
    """The functions that the cases below are made of."""

    cube: Any
    exp: Any
    mul: Any


def product(outs: tuple[tp.Tensor, tp.Tensor]) -> tp.Tensor:
    return outs[0] * outs[1]


OWN = Pieces(Cube.apply, Exp.apply, lambda a, b: product(MulAdd.apply(a, 2.0, b)))
ORDINARY = Pieces(lambda x: x * x * x, tp.exp, lambda a, b: product((a * b * 2.0, a + b)))


def total(function: Any) -> Any:
    return lambda *args: function(*args).sum()


def grad_of_mapped(function: Any) -> Any:
    return f.grad(lambda *args: f.vmap(function)(*args).sum())


def reverse_of_reverse(p: Pieces, x: tp.Tensor, y: tp.Tensor) -> Any:
    x = x.clone().requires_grad_()
    out = f.vmap(p.cube)(x)
    (g,) = tp.autograd.grad((out * out).sum(), x, create_graph=True)
    return g, tp.autograd.grad((g * y).sum(), x)[0]


def batches_of_gradients(p: Pieces, x: tp.Tensor, y: tp.Tensor) -> Any:
    x = x.clone().requires_grad_()
    out = p.exp(p.cube(x[0]) * 0.1)
    (g,) = tp.autograd.grad(out, x, y, is_grads_batched=True, create_graph=True)
    return g, tp.autograd.grad((g * g).sum(), x)[0]


def dual_parts(p: Pieces, x: tp.Tensor, y: tp.Tensor) -> Any:
    with forward_ad.dual_level():
        out = p.mul(p.exp(p.cube(forward_ad.make_dual(x, y)) * 0.1), x)
        return tuple(forward_ad.unpack_dual(out))


def forward_over_reverse(p: Pieces, x: tp.Tensor, y: tp.Tensor) -> Any:
    x = x.clone().requires_grad_()
    with forward_ad.dual_level():
        out = p.exp(p.cube(forward_ad.make_dual(x, y)) * 0.1).sum()
        return tuple(forward_ad.unpack_dual(tp.autograd.grad(out, x)[0]))


CASES: dict[str, Any] = {
    "vmap": lambda p, x, y: f.vmap(p.cube)(x),
    "vmap of grad": lambda p, x, y: f.vmap(f.grad(total(p.cube)))(x),
    "vmap of grad, output saved": lambda p, x, y: f.vmap(f.grad(total(p.exp)))(x),
    "grad of vmap": lambda p, x, y: grad_of_mapped(p.cube)(x),
    "grad of grad of vmap": lambda p, x, y: f.grad(total(grad_of_mapped(p.exp)))(x),
    "vmap of vmap of grad": lambda p, x, y: f.vmap(f.vmap(f.grad(p.cube)))(x),
    "vmap of hessian": lambda p, x, y: f.vmap(f.hessian(total(p.cube)))(x),
    "reverse over reverse": lambda p, x, y: f.jacrev(f.jacrev(total(p.exp)))(x[0]),
    "forward over forward": lambda p, x, y: f.jacfwd(f.jacfwd(total(p.exp)))(x[0]),
    "reverse over forward": lambda p, x, y: f.jacrev(f.jacfwd(total(p.cube)))(x[0]),
    "own vmap": lambda p, x, y: f.vmap(p.mul)(x, y),
    "own vmap, one mapped": lambda p, x, y: f.vmap(p.mul, in_dims=(0, None))(x, y[0]),
    "own vmap, other dimensions": lambda p, x, y: f.vmap(p.mul, in_dims=(1, 1), out_dims=1)(x, y),
    "own vmap of grad": lambda p, x, y: f.vmap(f.grad(total(p.mul), argnums=(0, 1)), in_dims=(0, None))(x, y[0]),
    "grad of own vmap": lambda p, x, y: f.grad(total(f.vmap(p.mul)), argnums=(0, 1))(x, y),
    "jvp": lambda p, x, y: f.jvp(p.mul, (x, y), (y, x)),
    "jvp, one moves": lambda p, x, y: f.jvp(lambda a: p.mul(a, y), (x,), (y,)),
    "vmap of jvp": lambda p, x, y: f.vmap(lambda a, b: f.jvp(p.mul, (a, b), (b, a))[1])(x, y),
    "jvp of vmap": lambda p, x, y: f.jvp(f.vmap(p.mul), (x, y), (y, x)),
    "jvp of generated vmap": lambda p, x, y: f.jvp(f.vmap(p.cube), (x,), (y,)),
    "grad of jvp of vmap": lambda p, x, y: f.grad(lambda a: f.jvp(f.vmap(p.cube), (a,), (y,))[1].sum())(x),
    "jvp of vmap of grad": lambda p, x, y: f.jvp(f.vmap(f.grad(total(p.exp))), (x,), (y,)),
    "closure": lambda p, x, y: f.grad(lambda w: f.vmap(lambda a: p.mul(a, w) * p.cube(w))(x).sum())(y[0]),
    "closure, inner grad": lambda p, x, y: f.grad(
        lambda w: f.vmap(f.grad(lambda a: (p.mul(a, w) * p.cube(w)).sum()))(x).sum()
    )(y[0]),
    "tape outside": reverse_of_reverse,
    "batches of gradients": batches_of_gradients,
    "dual level": dual_parts,
    "forward over reverse": forward_over_reverse,
}  # fmt: skip


def inputs() -> tuple[tp.Tensor, tp.Tensor]:
    x, y = np.random.default_rng(0).normal(size=(2, 3, 3))
    return tp.tensor(x), tp.tensor(y)


@pytest.mark.parametrize("name", CASES)
def test_as_ordinary_operations(name: str) -> None:
    found, expected = CASES[name](OWN, *inputs()), CASES[name](ORDINARY, *inputs())
    assert_close(found, expected, rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------------------- whose derivative it is


class Rounded(Function):
    """Rounds, and passes gradients as if it did not: its derivative is no derivative of its forward."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return (x * 0.0 + 2.0) * tp.where(x > 0, 1.0, -1.0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 7

    @staticmethod
    def jvp(ctx, t):
        return t * 7


@pytest.mark.parametrize(
    "derivative",
    [
        f.grad(total(Rounded.apply)),
        f.grad(total(f.vmap(Rounded.apply))),
        f.vmap(f.grad(Rounded.apply)),
        lambda x: f.jvp(Rounded.apply, (x,), (tp.ones_like(x),))[1],
        lambda x: f.jvp(f.vmap(Rounded.apply), (x,), (tp.ones_like(x),))[1],
        lambda x: f.vmap(lambda a: f.jvp(Rounded.apply, (a,), (tp.ones_like(a),))[1])(x),
    ],
)
def test_the_derivative_is_the_one_that_was_written(derivative: Any) -> None:
    assert derivative(tp.tensor([0.3, -2.0])).tolist() == [7.0, 7.0]


def test_a_graph_through_vmap_is_recorded_outside() -> None:
    x = tp.ones(3, 2, requires_grad=True)
    y = f.vmap(Cube.apply)(x)
    assert y.grad_fn.name() == "VmappedCubeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0]] * 3


class Old(Function):
    """In the style with everything in forward, which forward mode alone allows."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        ctx.three = 3
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.three * x * x

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * ctx.three * x * x


def test_forward_that_saves_by_itself_in_a_dual_level() -> None:
    x, y = inputs()
    x.requires_grad_()
    with forward_ad.dual_level():
        moving = forward_ad.make_dual(x, y)
        (g,) = tp.autograd.grad(Old.apply(moving).sum(), x)
        value, tangent = forward_ad.unpack_dual(g)
    assert_close(value, 3 * x.detach() ** 2)
    assert_close(tangent, 6 * x.detach() * y)


def test_arguments_without_a_tangent() -> None:
    seen: list[Any] = []

    class Told(Function):
        @staticmethod
        def forward(ctx, a, k, b):
            ctx.set_materialize_grads(k)
            return a * 1.0

        @staticmethod
        def jvp(ctx, *tangents):
            seen.append([t if t is None else t.tolist() for t in tangents])
            return tangents[0]

    with forward_ad.dual_level():
        a = forward_ad.make_dual(tp.ones(1), tp.ones(1))
        for materialize in (True, False):
            Told.apply(a, materialize, tp.ones(1))
        assert forward_ad.unpack_dual(Told.apply(tp.ones(1), True, tp.ones(1))).tangent is None
    assert seen == [[[1.0], None, [0.0]], [[1.0], None, None]]


def test_an_output_that_does_not_depend_on_the_batch_is_repeated() -> None:
    class Constant(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            return (x.sum(0), "text"), (None, None)

    assert f.vmap(lambda x: Constant.apply(x)[0])(tp.ones(3, 2)).tolist() == [[3.0, 3.0]] * 3


def test_edits_of_inputs_are_refused_inside() -> None:
    class Double(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(*inputs)

    with pytest.raises(tp.errors.FunctionError, match="Some elements marked as dirty"):
        f.vmap(Double.apply)(tp.ones(3))
    with pytest.raises(tp.errors.FunctionError, match="mark"):
        f.jvp(Double.apply, (tp.ones(3),), (tp.ones(3),))
