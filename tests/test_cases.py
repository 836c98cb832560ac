"""Cases in which some autograd engine was wrong in public, with the right answers."""

from __future__ import annotations

import gc
import math
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close

NAN = math.nan
INF = math.inf


def gradients(f: Callable[..., Any], *xs: Any) -> list[Any]:
    """The gradients of f(*xs).sum() at float64 leaves, as lists."""
    leaves = [tp.tensor(x, dtype=tp.float64, requires_grad=True) for x in xs]
    f(*leaves).sum().backward()
    return [leaf.grad.tolist() for leaf in leaves]


def double(values: Any) -> tp.Tensor:
    return tp.tensor(values, dtype=tp.float64, requires_grad=True)


# ---------------------------------------------------------------------------------- special points

SPECIAL_POINTS = {
    "sqrt at 0": (lambda x: x.sqrt(), [[0.0]], [[INF]]),
    "sqrt(sum x²) at 0": (lambda x: (x**2).sum().sqrt(), [[0.0, 0.0]], [[NAN, NAN]]),
    "log at 0": (lambda x: x.log(), [[0.0]], [[INF]]),
    "1/x at 0": (lambda x: 1 / x, [[0.0]], [[-INF]]),
    "relu and abs at 0": (lambda x: x.relu() + x.abs(), [[0.0]], [[0.0]]),
    "x**0": (lambda x: x**0, [[0.0, 2.0]], [[0.0, 0.0]]),
    "x**2 at 0": (lambda x: x**2, [[0.0]], [[0.0]]),
    "x**0.5 at 0": (lambda x: x**0.5, [[0.0]], [[INF]]),
    "0**y": (lambda x, y: x**y, [[0.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]),
    "2**y": (lambda y: 2**y, [[3.0]], [[5.545177444479562]]),
    "a number 0**y": (lambda y: 0**y, [[3.0]], [[0.0]]),
    "(-2)**y": (lambda y: (-2.0) ** y, [[2.0]], [[NAN]]),
    "(-8)**3": (lambda x: x**3, [[-8.0]], [[192.0]]),
    "max() of ties": (lambda x: x.max(), [[1.0, 3.0, 3.0, 3.0]], [[0.0, 1 / 3, 1 / 3, 1 / 3]]),
    "min() of ties": (lambda x: x.min(), [[2.0, 2.0, 5.0]], [[0.5, 0.5, 0.0]]),
    "amax(dim) of ties": (lambda x: x.amax(0), [[1.0, 3.0, 3.0, 2.0]], [[0.0, 0.5, 0.5, 0.0]]),
    "max(dim) of ties": (lambda x: x.max(0)[0], [[1.0, 3.0, 3.0, 2.0]], [[0.0, 1.0, 0.0, 0.0]]),
    "maximum of equals": (tp.maximum, [[1.0, 2.0], [1.0, 5.0]], [[0.5, 0.0], [0.5, 1.0]]),
    "norm at 0": (lambda x: x.norm(), [[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]),
    "row norms": (lambda x: x.norm(dim=1), [[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0], [0.6, 0.8]]]),
    "atan2(0, 0)": (tp.atan2, [[0.0], [0.0]], [[0.0], [-0.0]]),
    "cos behind a mask": (lambda x: tp.where(x < 1, x.cos(), tp.zeros_like(x)), [[0.0, INF]], [[0.0, NAN]]),
    "median of an even count": (lambda x: x.median(), [[4.0, 1.0, 3.0, 2.0]], [[0.0, 0.0, 0.0, 1.0]]),
    "prod with a zero": (lambda x: x.prod(), [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]]),
    "prod with two zeros": (lambda x: x.prod(), [[0.0, 0.0, 3.0]], [[0.0, 0.0, 0.0]]),
    "prod(dim)": (lambda x: x.prod(1), [[[0.0, 2.0], [3.0, 4.0], [0.0, 0.0]]], [[[2.0, 0.0], [4.0, 3.0], [0.0, 0.0]]]),
    "prod of one zero": (lambda x: x.prod(0), [[0.0]], [[1.0]]),
    "std of a constant": (lambda x: x.std(), [[2.0, 2.0, 2.0]], [[0.0, 0.0, 0.0]]),
    "var of one value, not corrected": (lambda x: x.var(unbiased=False), [[4.0]], [[0.0]]),
    "running sum and product of size 0": (lambda x: x.cumsum(-1) + x.cumprod(-1), [[[], []]], [[[], []]]),
    "flip": (lambda x: x.flip(0) * tp.tensor([1.0, 2.0, 3.0]), [[0.0, 0.0, 0.0]], [[3.0, 2.0, 1.0]]),
    "max(dim) rows": (lambda x: x.max(1)[0], [[[5.0, 5.0], [1.0, 0.0]]], [[[1.0, 0.0], [1.0, 0.0]]]),
}


@pytest.mark.parametrize("name", SPECIAL_POINTS)
def test_gradients_at_special_points(name):
    function, at, expected = SPECIAL_POINTS[name]
    assert_close(gradients(function, *at), expected)


def test_the_gradient_of_a_product_with_two_zeros_is_not_constant():
    x = double([2.0, 3.0, 0.0, 0.0])
    (g,) = tp.autograd.grad(x.prod(), x, create_graph=True)
    assert g.requires_grad
    assert tp.autograd.grad(g[2], x)[0].tolist() == [0.0, 0.0, 0.0, 6.0]


@pytest.mark.filterwarnings("ignore:var")
def test_the_variance_of_one_value_is_nan_in_the_shape_of_the_input():
    for x, keep in ((double([[1.0]]), {}), (double([[[0.0]]]), {"dim": -1, "keepdim": True})):
        v = x.var(**keep)
        v.sum().backward()
        assert (np.isnan([v.item(), x.grad.item()]).all(), x.grad.shape) == (True, x.shape)


def test_where_with_a_bad_branch():
    """The plain form leaks inf · 0, as documented; the double `where` gives the true gradient."""
    a = tp.tensor(100.0, requires_grad=True)
    tp.where(a <= 0, a.exp(), 1 + a).backward()
    assert math.isnan(a.grad.item())
    a = tp.tensor(100.0, requires_grad=True)
    safe = tp.where(a <= 0, a, tp.zeros_like(a))
    out = tp.where(a <= 0, safe.exp(), 1 + a)
    out.backward()
    assert (out.item(), a.grad.item()) == (101.0, 1.0)


def test_a_mask_instead_of_where():
    x = double([0.0, 2.0, 3.0])
    y = x.clone()
    mask, z = x > 2, tp.zeros_like(x)
    z[mask] = x[mask].log2()
    z[~mask] = 2 * x[~mask]
    (z + 0 * y).sum().backward()
    assert_close(x.grad.tolist(), [2.0, 2.0, 1 / (3 * math.log(2))])


def test_where_with_shapes_that_do_not_fit():
    with pytest.raises(tp.errors.ShapeError, match="must match the size of tensor b"):
        tp.where(tp.tensor([True, False]), tp.ones(2), tp.ones(3))


def test_extreme_scores_do_not_overflow():
    x = tp.tensor([[1000.0, 0.0], [-1000.0, 0.0]], requires_grad=True)
    loss = tp.nn.functional.cross_entropy(x, tp.tensor([1, 1]))
    loss.backward()
    assert loss.item() == 500.0
    assert x.grad.tolist() == [[0.5, -0.5], [0.0, 0.0]]
    assert tp.tensor([-1000.0, 1000.0]).sigmoid().tolist() == [0.0, 1.0]


# --------------------------------------------------------------------- broadcasting, size 0, 0-d


def test_size_0_operands_broadcast():
    b = tp.rand(4, requires_grad=True)
    (tp.rand(4, 0) + b.unsqueeze(1)).sum().backward()
    assert b.grad.tolist() == [0.0] * 4


def test_mean_and_sum_over_a_size_0_dimension():
    t = tp.zeros(3, 0, 4)
    mean, total = t.mean(dim=1, keepdim=True), t.sum(dim=1, keepdim=True)
    assert mean.shape == total.shape == (3, 1, 4)
    assert np.isnan(mean.numpy()).all()
    assert (total.numpy() == 0).all()
    x = tp.zeros(0, requires_grad=True)
    x.mean().backward()
    assert x.grad.shape == (0,)


def test_sum_uses_what_arrives():
    x = tp.arange(50, dtype=tp.float64).reshape(10, 5).requires_grad_()
    (3 * (x.reshape(50).reshape(10, 5) + tp.ones(10, 5, dtype=tp.float64)).sum()).backward()
    assert (x.grad.numpy() == 3).all()


def test_sum_of_a_0_d_tensor():
    x = tp.tensor(2.0, requires_grad=True)
    (x.sum() * 5).backward()
    assert (x.grad.item(), x.grad.shape) == (5.0, ())


def test_a_broadcast_gradient_keeps_the_rank():
    w = tp.ones(1, 3, requires_grad=True)
    (tp.ones(4, 3) * w * tp.arange(12.0).reshape(4, 3)).sum().backward()
    assert w.grad.tolist() == [[18.0, 22.0, 26.0]]


# ------------------------------------------------------------------------------------ indexing


def test_repeated_indices_accumulate():
    y = double([1.0])
    y[tp.tensor([0, 0])][0].backward()
    assert y.grad.tolist() == [1.0]
    e = tp.zeros(4, 2, dtype=tp.float64, requires_grad=True)
    weights = double([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    (e[tp.tensor([3, 1, 3])] * weights).sum().backward()
    assert e.grad.tolist() == [[0.0, 0.0], [10.0, 20.0], [0.0, 0.0], [101.0, 202.0]]


def test_gather_accumulates():
    x = double([0.1])
    x.gather(0, tp.tensor([0, 0])).backward(tp.tensor([0.2, 0.3], dtype=tp.float64))
    assert x.grad.tolist() == [0.5]


def test_index_put_accumulates():
    x, v = double([0.0, 0.0, 0.0]), double([1.0, 2.0, 3.0])
    y = (x * 1).index_put_((tp.tensor([0, 0, 2]),), v, accumulate=True)
    (y * tp.tensor([5.0, 7.0, 9.0])).sum().backward()
    assert (y.tolist(), x.grad.tolist(), v.grad.tolist()) == ([3.0, 0.0, 3.0], [5.0, 7.0, 9.0], [5.0, 5.0, 9.0])


def test_a_slice_that_was_overwritten_gets_nothing():
    x = tp.arange(6.0, dtype=tp.float64).requires_grad_()
    y = x * 1
    y[1:5:2] = 0
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 4.0, 0.0, 8.0, 10.0]


def test_many_repeated_indices_accumulate_in_the_compiled_kernel_too():
    e = tp.zeros(7, 64, dtype=tp.float64, requires_grad=True)
    rows = np.arange(700) % 7
    e[tp.tensor(rows)].sum().backward()
    assert (e.grad.numpy() == 100).all()


def test_reading_and_adding_writes_each_cell_once():
    x = tp.zeros(3)
    x[tp.tensor([0, 0, 2])] += 1
    assert x.tolist() == [1.0, 0.0, 1.0]


def test_a_negative_step_is_refused_or_right():
    x = tp.arange(5.0).requires_grad_()
    try:
        y = x[::-1]
    except ValueError:
        return
    (y * tp.arange(5.0)).sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([4.0, 3.0, 2.0, 1.0, 0.0], [4.0, 3.0, 2.0, 1.0, 0.0])


def test_a_reversed_numpy_array_becomes_a_tensor():
    assert tp.tensor(np.arange(4.0)[::-1].copy()).tolist() == [3.0, 2.0, 1.0, 0.0]


def test_ellipsis_none_and_integers_mix():
    x = tp.arange(24, dtype=tp.float64).reshape(2, 3, 4).requires_grad_()
    y = x[..., None, 1:, -1]
    assert y.shape == (2, 1, 2)
    y.sum().backward()
    assert x.grad.sum().item() == 4.0


# --------------------------------------------------------------------------- memory and versions


def test_an_edit_through_detach_is_noticed():
    a = tp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out = a.sigmoid()
    out.detach().zero_()
    assert out.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_an_edit_of_what_nothing_saved_is_no_alarm():
    x = tp.tensor([3.0, 4.0], requires_grad=True)
    v = x.view(-1)
    out = v * 2.0
    first = tp.autograd.grad(out.sum(), x, retain_graph=True)[0]
    with tp.no_grad():
        v.add_(1.0)
    assert first.tolist() == tp.autograd.grad(out.sum(), x)[0].tolist() == [2.0, 2.0]


def test_an_edit_of_a_saved_input_under_no_grad_is_noticed():
    a = tp.tensor([1.0, 2.0], requires_grad=True)
    b = a * 1
    y = b * b
    with tp.no_grad():
        b.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_expanded_tensor_is_not_edited():
    a = tp.ones(1, 1)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        a.expand(4, 5).add_(1)
    assert a.tolist() == [[1.0]]
    x = tp.tensor([2.0], requires_grad=True)
    (x.expand(3) * tp.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [111.0]


def test_leaves_and_their_views_are_not_edited():
    c = tp.zeros(2, 3, requires_grad=True)
    for edit in (lambda: c.add_(1), lambda: c[0].add_(1), lambda: c.__setitem__(slice(None), 1)):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            edit()
    assert c.is_leaf
    assert c.sum().item() == 0.0
    with tp.no_grad():
        c[:] += 1
    assert (c.requires_grad, c.is_leaf, c.sum().item()) == (True, True, 6.0)
    d = c.detach()
    d += 1
    assert c.sum().item() == 12.0


# ------------------------------------------------------------------------------------------ dtypes


def test_numbers_and_sum_keep_float32():
    x = tp.ones(3, requires_grad=True)
    results = (x * 2.0, x * np.float64(2), sum([x, x]), x / 3)
    assert [r.dtype for r in results] == [tp.float32] * 4
    assert (tp.ones(2) * tp.tensor(2.0, dtype=tp.float64)).dtype == tp.float32
    assert not (x > 0).requires_grad
    assert (tp.tensor([7]) // 2).dtype == tp.int64
    y = x * tp.ones(3, dtype=tp.float64)
    y.sum().backward()
    assert (y.dtype, x.grad.dtype) == (tp.float64, tp.float32)
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        tp.tensor([1, 2, 3], requires_grad=True)
    assert not x.argmax().requires_grad
    assert not x.argsort().requires_grad


# ----------------------------------------------------------------------------------- whole graphs


def test_a_reused_inner_tensor():
    a = tp.tensor(1.0, requires_grad=True)
    b = a + a
    (b + b).backward()
    assert a.grad.item() == 4.0


def test_backward_twice_doubles_and_does_not_compound():
    a, b, d = (tp.tensor(v, requires_grad=True) for v in (3.0, 2.0, 1.0))
    e = (a + b) * d
    e.backward(retain_graph=True)
    assert [t.grad.item() for t in (a, b, d)] == [1.0, 1.0, 5.0]
    e.backward()
    assert [t.grad.item() for t in (a, b, d)] == [2.0, 2.0, 10.0]
    with pytest.warns(tp.errors.FreedGraphWarning):
        e.backward()
    assert [t.grad.item() for t in (a, b, d)] == [2.0, 2.0, 10.0]


def test_crossing_paths():
    x = tp.tensor(1.0, requires_grad=True)
    y = x * 1
    (x * y + (x * x) * 1 + x * y).backward()
    assert x.grad.item() == 6.0
    a, b = tp.tensor(2.0, requires_grad=True), tp.tensor(3.0, requires_grad=True)
    c, d = a + b, a * b
    ((c + d) + c * d).backward()
    assert (a.grad.item(), b.grad.item()) == (25.0, 19.0)


def test_a_long_chain_is_exact():
    x = double([1.0])
    y = x.clone()
    for _ in range(100_000):
        y = y + y * 1e-6
    y.backward()
    assert x.grad.item() == pytest.approx((1 + 1e-6) ** 100_000)
    del y
    gc.collect()


def test_a_wide_fan_in():
    x = double([1.0])
    total = x * 0
    for _ in range(20_000):
        total = total + x * 1.0
    total.backward()
    assert x.grad.tolist() == [20_000.0]


def test_a_running_total_keeps_no_activations():
    p, seen, total = tp.ones(4, requires_grad=True), [], 0
    for _ in range(3):
        h = p * 2
        seen.append(weakref.ref(h))
        loss = (h * h).sum()
        loss.backward()
        total = total + loss
        del h, loss
    assert [reference() for reference in seen] == [None] * 3


def test_a_hook_stays_with_the_value_and_retain_grad_with_the_tensor():
    a, seen = double([1.0]).clone(), []
    a.register_hook(lambda g: seen.append(g.tolist()))
    a.retain_grad()
    a.mul_(2)
    b = a.clone()
    b.register_hook(lambda g: seen.append(g.tolist()))
    (b + 1).sum().backward()
    assert (seen, a.grad.tolist()) == ([[1.0], [2.0]], [1.0])


def test_create_graph_warns_and_can_be_collected():
    x = double([1.0, 1.0])
    y = x.tanh()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y.sum().backward(create_graph=True)
    assert any("create_graph" in str(w.message) for w in caught)
    tensor = weakref.ref(x)
    x.grad = None
    del x, y
    gc.collect()
    assert tensor() is None
