"""Angles, products, norms, spreads, running sums and order: values, derivatives, dtypes and errors as in PyTorch."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close

INF, NAN = math.inf, math.nan
NAMES = {"inf": INF, "nan": NAN, "abs": abs}

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.375]])
Y = np.array([[1.0, 2.0, 0.5]])
Z = np.array([[2.0, 0.0, 3.0, -1.5], [0.0, 4.0, 0.0, 5.0]])
"""One zero in the first row, two in the second."""

EXPRESSIONS = """
lib.sin(x) | x.sin() | lib.cos(x) | x.cos() | lib.log2(x * x + 1) | (x * x).log2() | lib.atan2(x, y) | x.atan2(y)
lib.atan2(y, x) | x.T.atan2(x[0, 0]) | x.prod() | lib.prod(x) | x.prod(0) | x.prod(-1, keepdim=True)
lib.prod(x, dim=1) | x[0, 0].prod() | x[0, 0].prod(0) | x[:0].prod() | x[:0].prod(0) | x[:0].prod(1)
x[:, :1].prod(1) | z.prod() | z.prod(0) | z.prod(1) | z.prod(1, True) | x.norm() | x.norm(2) | x.norm(p=1)
x.norm(3, 0) | x.norm(1.5, dim=1) | x.norm(dim=(0, 1)) | x.norm(inf) | x.norm(-inf, 1) | x.norm(0) + x.sum()
x.norm("fro", 1, True) | lib.norm(x, dim=0, keepdim=True) | x.norm(0.5) | x.norm(-2, 1) | x[0, 0].norm()
x[0, 0].norm(2, 0, True) | x[:0].norm() | x[:0].norm(dim=0) | x[:0].norm(inf, 1) | x.norm(p=None) | x.var()
x.var(0) | x.var(1, False) | x.var(1, True, True) | x.var(False) | x.var((0, 1), correction=0)
x.var(unbiased=False) | lib.var(x, 0, unbiased=True, keepdim=True) | lib.var(x, dim=1, correction=0.5)
x.var(None, False) | x.var(keepdim=True) | x.std() | x.std(0) | x.std(1, False) | x.std(-1, keepdim=True)
lib.std(x, correction=0) | x.std((0, 1)) | x.std(dim=0) | x.median() | x.median(0).values | x.median(1)[0]
x.median(-1, keepdim=True)[0] | lib.median(x, dim=1, keepdim=True).values | z.median(0)[0] | x[0, 0].median()
x[0, 0].median(0)[0] | x[:, :0].median(0)[0] | x.T.median(1)[0] | x.reshape(-1)[:4].median() | x.cumsum(0)
x.cumsum(-1) | lib.cumsum(x, dim=1) | x[0, 0].cumsum(0) | x[:, :0].cumsum(1) | x.cumprod(0) | x.cumprod(-1)
lib.cumprod(x, dim=1) | z.cumprod(0) | z.cumprod(1) | x[0, 0].cumprod(0) | x[:, :0].cumprod(1) | x.flip(0)
x.flip(1, 0) | x.flip((0, 1)) | lib.flip(x, [1]) | lib.flip(x, dims=(0,)) | x.flip(-1) | x.flip(())
x[0, 0].flip(0) | x.sort()[0] | x.sort(0).values | x.sort(1, True)[0] | x.sort(dim=0, descending=True)[0]
x.sort(stable=True)[0] | lib.sort(x, stable=True, dim=0, descending=True)[0] | x[0, 0].sort()[0]
x[:, :0].sort()[0] | z.sort(1)[0] | z.sort(1, True)[0] | lib.index_put(x, (i,), y)
x.index_put((i,), y, accumulate=True) | x.index_put((i, i), y[0, 0]) | x.index_put([x > 0], y[0, 1])
x.index_put((j, i), y[0, :2], accumulate=True) | x.index_put((j, j), y[0, 1], True)
x.index_put((x < 0,), y[0, :2], True) | x.index_put((i[:, None], i), y[0, :2])
x.index_put((lib.tensor([True, False]),), y, True) | x.index_put((j - 1,), y, True)
"""


TABLE = [e.strip() for line in EXPRESSIONS.splitlines() for e in line.split("|") if e.strip()]


def operands(lib: Any, dtype: str) -> dict[str, Any]:
    x, y, z = (lib.tensor(a, dtype=getattr(lib, dtype), requires_grad=True) for a in (X, Y, Z))
    return {"lib": lib, "x": x, "y": y, "z": z, "i": lib.tensor([1, 0]), "j": lib.tensor([1, 1])}


def weighted(lib: Any, out: Any) -> Any:
    """A sum with a weight for each element."""
    weights = np.linspace(0.5, 1.5, int(np.prod(tuple(out.shape)))).reshape(tuple(out.shape))
    return (out * lib.tensor(weights, dtype=out.dtype)).sum()


def derivatives(lib: Any, expression: str, dtype: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The value, the gradients, and the gradients of these."""
    names = operands(lib, dtype)
    leaves = [names[n] for n in "xyz"]
    out = eval(expression, NAMES | names)
    first = lib.autograd.grad(weighted(lib, out), leaves, create_graph=True, allow_unused=True)
    total = sum(weighted(lib, g) for g in first if g is not None)
    second = [None] * 3
    if total.requires_grad:
        second = lib.autograd.grad(total, leaves, allow_unused=True)
    return [array(t, x) for t, x in zip((out, *first), (out, *leaves), strict=True)], [*map(array, second, leaves)]


def array(t: Any, like: Any) -> np.ndarray:
    """The numbers; zeros where there is no derivative: one that is zero may be recorded by one library alone."""
    if t is None or (hasattr(t, "_is_zerotensor") and t._is_zerotensor()):
        return np.zeros(tuple(like.shape), str(like.dtype).split(".")[-1])
    return t.detach().numpy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("expression", TABLE)
def test_values_and_derivatives(expression, dtype):
    torch = pytest.importorskip("torch")
    ours, theirs = derivatives(tp, expression, dtype), derivatives(torch, expression, dtype)
    close = {"rtol": 1e-5, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-12}
    assert_close(ours[0], theirs[0], **close, check_dtype=True)
    assert_close(ours[1], theirs[1], close["rtol"] * 10, close["atol"] * 10, check_dtype=True, name="second order")


# ------------------------------------------------------------------------------ dtypes and positions

FACTS = """
lib.sin(lib.tensor([1])) | lib.cos(lib.tensor([True])) | lib.log2(lib.tensor([8, 0]))
lib.log2(lib.tensor([8., -1.])) | lib.atan2(lib.tensor([1, 2]), lib.tensor([1, 1])) | lib.atan2(f, f.double())
lib.tensor([3., 4.]).half().sin() | n.prod() | n.int().prod(0) | (n > 1).prod() | n.prod(dtype=lib.float32)
n.cumsum(0) | (n > 1).cumsum(0) | n.int().cumprod(0) | n.cumsum(0, dtype=lib.float64)
n.cumprod(0, dtype=lib.float32) | f.norm(dtype=lib.float64) | lib.zeros(0).norm() | lib.zeros(2, 0).norm(dim=1)
lib.zeros(0).median() | n.median() | n.median(0).indices | lib.tensor(3.).median(0).indices
lib.tensor([4., nan, 2., nan, 5.]).median() | lib.tensor([4., nan, 2., nan, 5.]).median(0).indices
lib.tensor([[4., nan], [2., 1.]]).median(0).values | n.flip(0) | (n > 1).flip(0) | n.sort().values
n.sort(descending=True).indices | lib.tensor([1., 2., nan, 1., 2.]).sort().indices
lib.tensor([1., 2., nan, 1., 2.]).sort(descending=True).indices
lib.tensor([1., 2., nan, 1., 2.]).sort(0, True).values | f.argsort() | f.argsort(0, True)
lib.argsort(f, dim=0, descending=True) | lib.argsort(f, stable=True) | lib.tensor(2.).argsort()
lib.zeros(2, 0).argsort() | lib.tensor([True, False]).sort().indices | lib.tensor(2.).sort().indices
n.index_put((n - 1,), n) | (n > 1).index_put((n - 1,), n < 2) | lib.zeros(0).prod() | lib.zeros(2, 0).prod(1)
lib.tensor(2.).prod(0, True) | lib.tensor([[1., 2.]]).flip([0, 1]) | f.half().var() | f.half().norm()
"""


@pytest.mark.parametrize("expression", [e.strip() for line in FACTS.splitlines() for e in line.split("|") if e.strip()])
def test_dtypes_and_positions(expression):
    torch = pytest.importorskip("torch")
    outs = []
    for lib in (tp, torch):
        outs.append(
            eval(expression, NAMES | {"lib": lib, "n": lib.tensor([1, 3, 2]), "f": lib.tensor([0.5, 2.0, 1.0])})
        )
    assert_close(outs[0].numpy(), outs[1].numpy(), rtol=1e-3 if outs[0].dtype == tp.float16 else 1e-6, check_dtype=True)


def test_positions_are_never_recorded():
    x = tp.rand(4, requires_grad=True)
    assert [t.requires_grad for t in (x.argsort(), x.sort()[1], x.median(0)[1])] == [False] * 3
    assert [t.requires_grad for t in (x.sort()[0], x.median(0)[0], x.median())] == [True] * 3


def test_what_goes_by_several_names():
    x = tp.tensor([3.0, 1.0, 2.0])
    assert (x.sort()._fields, x.median(0)._fields) == (("values", "indices"),) * 2
    values, indices = tp.sort(x)
    assert (values.tolist(), indices.tolist()) == ([1.0, 2.0, 3.0], [1, 2, 0])


def test_a_flipped_tensor_has_memory_of_its_own():
    x = tp.arange(3.0)
    y = x.flip(0)
    y[0] = 9.0
    assert (x.tolist(), y.tolist(), y._is_view()) == ([0.0, 1.0, 2.0], [9.0, 1.0, 0.0], False)


# -------------------------------------------------------------------------------- special points

SPECIAL = {
    "prod at one zero": (lambda lib, x: x.prod(), [0.0, 2.0, 3.0]),
    "prod at two zeros": (lambda lib, x: x.prod(), [0.0, 0.0, 3.0]),
    "prod(dim)": (lambda lib, x: x.prod(1), [[0.0, 2.0], [3.0, 4.0], [0.0, 0.0]]),
    "prod of one zero": (lambda lib, x: x.prod(0), [0.0]),
    "cumprod at zeros": (lambda lib, x: x.cumprod(0), [2.0, 0.0, 3.0, 0.0, 4.0]),
    "cumprod of zeros": (lambda lib, x: x.cumprod(1), [[0.0, 0.0, 0.0], [1.0, 0.0, 2.0]]),
    "norm at 0": (lambda lib, x: x.norm(), [0.0, 0.0]),
    "1-norm at 0": (lambda lib, x: x.norm(1), [0.0, 2.0]),
    "3-norm at 0": (lambda lib, x: x.norm(3), [0.0, 0.0]),
    "3-norm with a 0": (lambda lib, x: x.norm(3), [0.0, 2.0, -1.0]),
    "1.5-norm with a 0": (lambda lib, x: x.norm(1.5), [0.0, 2.0, -1.0]),
    "½-norm with a 0": (lambda lib, x: x.norm(0.5), [0.0, 2.0]),
    "-1-norm": (lambda lib, x: x.norm(-1), [1.0, -1.0, 3.0]),
    "inf-norm of ties": (lambda lib, x: x.norm(INF), [3.0, -3.0, 1.0]),
    "-inf-norm": (lambda lib, x: x.norm(-INF), [3.0, -1.0, 1.0]),
    "norm of rows": (lambda lib, x: x.norm(dim=1), [[0.0, 0.0], [3.0, 4.0]]),
    "3-norm of rows": (lambda lib, x: x.norm(3, 1), [[0.0, 0.0], [3.0, 4.0]]),
    "std of a constant": (lambda lib, x: x.std(), [2.0, 2.0, 2.0]),
    "std of rows": (lambda lib, x: x.std(1), [[2.0, 2.0], [1.0, 3.0]]),
    "var of a constant": (lambda lib, x: x.var(), [2.0, 2.0]),
    "var of one value": (lambda lib, x: x.var(), [[1.0]]),
    "std of one value": (lambda lib, x: x.std(), [1.0]),
    "var without correction of one value": (lambda lib, x: x.var(unbiased=False), [4.0]),
    "var with all freedom gone": (lambda lib, x: x.var(correction=3), [2.0, 3.0, 5.0]),
    "var with more than all freedom gone": (lambda lib, x: x.var(correction=4), [2.0, 3.0, 5.0]),
    "std with more than all freedom gone": (lambda lib, x: x.std(correction=4), [2.0, 3.0, 5.0]),
    "median of ties": (lambda lib, x: x.median(), [4.0, 2.0, 2.0, 2.0]),
    "median(dim) of ties": (lambda lib, x: x.median(0)[0], [4.0, 2.0, 2.0, 2.0]),
    "median of an even count": (lambda lib, x: x.median(), [4.0, 1.0, 3.0, 2.0]),
    "atan2 at the origin": (lambda lib, x: lib.atan2(x, lib.zeros_like(x)), [0.0, 1.0, -2.0]),
    "atan2 by the second": (lambda lib, x: lib.atan2(lib.zeros_like(x), x), [0.0, 1.0, -2.0]),
    "log2 at 0": (lambda lib, x: x.log2(), [0.0, 8.0]),
    "sin of infinity": (lambda lib, x: x.sin() + x.cos(), [INF]),
    "sort of ties": (lambda lib, x: weighted(lib, x.sort()[0]), [2.0, 1.0, 2.0, 1.0]),
    "sort of ties, descending": (lambda lib, x: weighted(lib, x.sort(descending=True)[0]), [2.0, 1.0, 2.0, 1.0]),
}


def gradient(lib: Any, name: str) -> list[Any]:
    function, at = SPECIAL[name]
    x = lib.tensor(at, dtype=lib.float64, requires_grad=True)
    out = function(lib, x)
    out.sum().backward()
    return [out.tolist(), x.grad.tolist()]


@pytest.mark.filterwarnings("ignore:(var|std)")
@pytest.mark.parametrize("name", SPECIAL)
def test_special_points(name):
    torch = pytest.importorskip("torch")
    assert_close(gradient(tp, name), gradient(torch, name))


@pytest.mark.filterwarnings("ignore:(var|std)")
@pytest.mark.parametrize("name", SPECIAL)
def test_special_points_inside_transforms(name):
    """The same gradients from func.grad, for a batch at once, and by forward mode."""
    function, at = SPECIAL[name]
    x = tp.tensor(at, dtype=tp.float64)
    expected = gradient(tp, name)[1]
    slope = tp.func.grad(lambda x: function(tp, x).sum())
    assert_close(slope(x).tolist(), expected)
    assert_close(tp.vmap(slope)(tp.stack([x, x])).tolist(), [expected, expected])
    if "freedom gone" not in name:  # there the result is infinite, and so are the steps on the way
        mapped = tp.func.grad(lambda x: tp.vmap(lambda x: function(tp, x))(x).sum())
        assert_close(mapped(tp.stack([x, x])).tolist(), [expected, expected])
    if np.isfinite(expected).all():
        t = tp.tensor(np.linspace(1.0, 2.0, x.numel()).reshape(x.shape))
        _, moved = tp.func.jvp(lambda x: function(tp, x).sum(), (x,), (t,))
        assert_close(moved.item(), float(np.sum(np.asarray(expected) * t.numpy())))


SECOND = {
    "prod with two zeros": (lambda x: x.prod(), [2.0, 3.0, 0.0, 0.0]),
    "prod with three zeros": (lambda x: x.prod(), [0.0, 3.0, 0.0, 0.0]),
    "cumprod with zeros": (lambda x: x.cumprod(0), [2.0, 0.0, 3.0, 0.0, 4.0]),
    "std": (lambda x: x.std(), [2.0, 3.0, 5.0]),
    "norm": (lambda x: x.norm(3), [2.0, -3.0, 0.5]),
    "atan2": (lambda x: tp.atan2(x, x.flip(0)), [2.0, -3.0, 0.5]),
}


@pytest.mark.parametrize("name", SECOND)
def test_all_orders(name):
    """Gradcheck of the function, of its gradient, and of the gradient's gradient."""
    function, at = SECOND[name]
    x = tp.tensor(at, dtype=tp.float64, requires_grad=True)
    assert tp.autograd.gradcheck(function, x)
    assert tp.autograd.gradgradcheck(function, x)

    def slope(x: Any) -> Any:
        return tp.autograd.grad(weighted(tp, function(x)), x, create_graph=True)[0]

    assert tp.autograd.gradgradcheck(slope, x)


def test_second_order_where_there_is_none():
    """At the origin of a length and of an angle, and for a spread of 0: zero, as the first order, and never NaN."""
    for function in (lambda x: x.norm(), lambda x: x.norm(3), lambda x: x.std(), lambda x: tp.atan2(x, x).sum()):
        x = tp.zeros(3, requires_grad=True)
        (g,) = tp.autograd.grad(function(x), x, create_graph=True)
        assert tp.autograd.grad(weighted(tp, g), x)[0].tolist() == [0.0, 0.0, 0.0]


def test_too_few_values_are_told():
    with pytest.warns(UserWarning, match=r"var\(\): degrees of freedom is <= 0") as caught:
        assert math.isnan(tp.tensor([1.0]).var().item())
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"std\(\): degrees of freedom is <= 0"):
        tp.zeros(2, 0).std(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tp.tensor([1.0]).var(unbiased=False)


# --------------------------------------------------------------------------------------- in place

EDITS = ["sin_", "cos_", "log2_", "exp_"]


@pytest.mark.parametrize("name", EDITS)
def test_in_place_forms(name):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (tp, torch):
        x = lib.tensor([0.5, 2.0], requires_grad=True)
        y = x * 2
        assert getattr(y, name)() is y
        (y * y).sum().backward()
        found.append([y.detach().numpy(), x.grad.numpy(), y._version])
    assert_close(*found, rtol=1e-6)


def edited(lib: Any, edit: str) -> list[Any]:
    x = lib.tensor(np.arange(6.0).reshape(3, 2) + 1, requires_grad=True)
    v = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True)
    y = x * 1
    view = y[1:]
    eval(edit, {"lib": lib, "y": y, "view": view, "v": v, "i": lib.tensor([0, 0, 2]), "k": lib.tensor([1])})
    (y * y + 0 * v).sum().backward()
    return [y.detach().numpy(), view.detach().numpy(), x.grad.numpy(), v.grad.numpy(), y._version]


@pytest.mark.parametrize("edit", [
    "y.index_put_((i,), v, accumulate=True)",
    "y.index_put_((k,), v)",
    "y.index_put_((i, k), v[0], True)",
    "y.index_put_([y > 3], v[1])",
    "view.index_put_((k,), v)",
    "view.index_put_((k,), v, True)",
    "view.T.index_put_((k, k - 1), v[:1], accumulate=True)",
    "y.atan2_(v)",
    "view.atan2_(v)",
    "view.sin_()",
    "y.t().cos_()" if hasattr(tp.Tensor, "t") else "y.T.cos_()",
])  # fmt: skip
def test_recorded_edits(edit):
    torch = pytest.importorskip("torch")
    assert_close(edited(tp, edit), edited(torch, edit), rtol=1e-12)


def test_index_put_returns_a_copy_and_index_put_the_tensor_itself():
    x = tp.zeros(3)
    i = (tp.tensor([0, 0, 2]),)
    y = x.index_put(i, tp.ones(3), accumulate=True)
    assert (x.tolist(), y.tolist()) == ([0.0, 0.0, 0.0], [2.0, 0.0, 1.0])
    assert x.index_put_(i, tp.ones(3), True) is x
    assert x.tolist() == y.tolist()
    assert (x._version, x.grad_fn) == (1, None)


def test_index_put_inside_vmap():
    rows = tp.tensor([[0, 0], [1, 2]])
    values = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = tp.vmap(lambda i, v: tp.zeros(3).index_put((i,), v, accumulate=True))(rows, values)
    assert out.tolist() == [[3.0, 0.0, 0.0], [0.0, 3.0, 4.0]]


# ----------------------------------------------------------------------------------------- errors

REFUSED = [
    "lib.atan2(f, 2.0)",
    "f.atan2(2.0)",
    "lib.atan2(f, lib.ones(2))",
    "f.atan2_(2.0)",
    "lib.tensor([1]).sin_()",
    "f.prod(2)",
    "f.prod((0,))",
    "f.prod(keepdim=True)",
    "f.norm(2, 5)",
    "f.norm('x')",
    "lib.tensor([1, 2]).norm()",
    "lib.zeros(0).norm(inf)",
    "lib.zeros(2, 0).norm(-1, 1)",
    "lib.zeros(2, 0).norm(inf, 1)",
    "lib.tensor([1, 2]).var()",
    "lib.tensor([1, 2]).std()",
    "f.var(3)",
    "lib.var(f, 0, unbiased=True, correction=1)",
    "lib.zeros(0, 2).median(0)",
    "f.median(1)",
    "lib.tensor([True]).median()",
    "f.cumsum(1)",
    "f.cumsum((0,))",
    "f.cumprod(1)",
    "f.cumsum()",
    "f.flip(1)",
    "f.flip((0, 0))",
    "f.sort(1)",
    "f.argsort(1)",
    "lib.tensor([1 + 1j]).sort()",
    "f.index_put((i,), 1.0)",
    "f.index_put(i, f)",
    "f.index_put(([0],), f)",
    "f.index_put((i,), f.double())",
    "f.index_put((i,), lib.ones(2))",
    "f.index_put((i + 5,), f)",
    "f.index_put((i, i), f)",
    "f.index_put((f,), f)",
    "lib.zeros(3, requires_grad=True).index_put_((i,), f)",
]


@pytest.mark.parametrize("expression", REFUSED)
def test_errors_are_of_the_class_pytorch_raises(expression):
    torch = pytest.importorskip("torch")
    caught = []
    for lib in (torch, tp):
        with pytest.raises(Exception) as info:
            eval(expression, NAMES | {"lib": lib, "f": lib.tensor([0.5, 2.0, 1.0]), "i": lib.tensor([0, 1, 2])})
        caught.append(info.value)
    assert isinstance(caught[1], type(caught[0])) or isinstance(caught[0], NotImplementedError)
    if not isinstance(caught[0], TypeError):  # those list all signatures
        opening = " ".join(str(caught[0]).split()[:2]).rstrip(":.")
        assert str(caught[1]).lower().startswith(opening.lower())
