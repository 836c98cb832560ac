"""The checks of an op inside transforms; `test_transforms.py` runs them and shows that they can fail."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.apply import apply
from tensorplay.tensor import wrap
from tensorplay.testing import assert_close, numeric
from tensorplay.testing.samples import LAYOUTS, Case

RTOL, ATOL = 1e-6, 1e-7
"""Central differences are good to some nine digits."""
EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH = 3


def call(case: Case, *tensors: Any) -> tuple[Any, ...]:
    """All outputs that the user sees."""
    out = apply(case.op, *tensors, **case.params)
    return out if isinstance(out, tuple) else (out,)


def differentiable(case: Case) -> list[int]:
    """Numbers of the outputs that have a gradient."""
    if case.op.listed:
        return list(range(len(call(case, *tensors_of(case.arrays())))))
    seen = case.op.outputs[: len(case.op.outputs) - case.op.hidden]
    return [k for k, name in enumerate(seen) if name not in case.op.nondiff]


def tensors_of(arrays: Sequence[Any]) -> list[Any]:
    return [wrap(x) if isinstance(x, np.ndarray) else x for x in arrays]


def numbers(case: Case, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in [0.5, 1.5), the same in every run."""
    rng = np.random.default_rng(zlib.crc32(f"{case} {what}".encode()))
    return np.asarray(rng.uniform(0.5, 1.5, shape))


def examples(case: Case, count: int = BATCH, layout: str = "contiguous") -> list[list[Any]]:
    """The sample's inputs, and further examples with other numbers (positions and conditions are kept)."""
    rng = np.random.default_rng(7)

    def another(x: Any) -> Any:
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            return x
        order = np.arange(x.size) if case.op.family == "decomposition" else rng.permutation(x.size)  # stay invertible
        changed = np.asarray(x.reshape(-1)[order].reshape(x.shape) * 0.9 ** rng.integers(1, 4))
        return LAYOUTS[layout](changed) if x.ndim else changed

    first = case.arrays(layout=layout)
    return [first, *([another(x) for x in first] for _ in range(count - 1))]


# ----------------------------------------------------------------------------------------------- vmap


def check_vmap(case: Case, chosen: tuple[int, ...], axis: int, layout: str = "contiguous") -> None:
    """Mapped over the chosen inputs, with the examples along `axis`, against a loop."""
    mapped_like_a_loop(lambda *tensors: call(case, *tensors), examples(case, layout=layout), chosen, axis)


def mapped_like_a_loop(function: Callable[..., Any], rows: list[list[Any]], chosen: tuple[int, ...], axis: int) -> None:
    rows = [[x if i in chosen else rows[0][i] for i, x in enumerate(row)] for row in rows]
    loop = [function(*tensors_of(row)) for row in rows]
    columns = list(zip(*rows, strict=True))
    stacked = [wrap(np.stack(c, axis)) if i in chosen else tensors_of(c)[0] for i, c in enumerate(columns)]
    dims = tuple(axis if i in chosen else None for i in range(len(columns)))
    found = tp.vmap(function, in_dims=dims)(*stacked)
    expected = [np.stack([t.numpy() for t in outs]) for outs in zip(*loop, strict=True)]
    assert_close([t.numpy() for t in found], expected, **EXACT, check_dtype=True)


def check_nested_vmap(case: Case, chosen: tuple[int, ...]) -> None:
    """Two vmaps, the inner over one dimension and the outer over another, against two loops."""
    rows = [examples(case, 2), [[_scaled(x) for x in row] for row in examples(case, 2)]]
    rows = [[[x if i in chosen else rows[0][0][i] for i, x in enumerate(row)] for row in part] for part in rows]
    loop = [[[t.numpy() for t in call(case, *tensors_of(row))] for row in part] for part in rows]
    inputs = [
        wrap(np.stack([np.stack([row[i] for row in part]) for part in rows])) if i in chosen else tensors_of([x])[0]
        for i, x in enumerate(rows[0][0])
    ]
    dims = tuple(0 if i in chosen else None for i in range(len(inputs)))
    found = tp.vmap(tp.vmap(lambda *xs: call(case, *xs), in_dims=dims), in_dims=dims)(*inputs)
    count = len(loop[0][0])
    expected = [np.stack([np.stack([outs[k] for outs in part]) for part in loop]) for k in range(count)]
    assert_close([t.numpy() for t in found], expected, **EXACT, check_dtype=True)


def _scaled(x: Any) -> Any:
    return np.asarray(x * 1.1) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def check_vmap_of_gradient(case: Case) -> None:
    """A gradient for each example, against a loop of gradients."""
    rows = examples(case)
    arrays = tuple(i for i, x in enumerate(rows[0]) if isinstance(x, np.ndarray))
    mapped_like_a_loop(lambda *xs: _gradients(case, xs), rows, arrays, 0)


def check_gradient_of_vmap(case: Case) -> None:
    """The gradient of the sum over examples is each example's own gradient."""
    rows = examples(case)
    arrays = [i for i, x in enumerate(rows[0]) if isinstance(x, np.ndarray)]
    dims = tuple(0 if i in arrays else None for i in range(len(rows[0])))
    columns = enumerate(zip(*rows, strict=True))
    stacked = [wrap(np.stack(c)) if i in arrays else c[0] for i, c in columns]
    mapped = tp.vmap(lambda *xs: _weighted(case, xs), in_dims=dims)
    found = tp.func.grad(lambda *xs: mapped(*xs).sum(), argnums=tuple(case.differentiable()))(*stacked)
    one_by_one = [_gradients(case, tensors_of(row)) for row in rows]
    expected = [np.stack([g.numpy() for g in gs]) for gs in zip(*one_by_one, strict=True)]
    assert_close([g.numpy() for g in found], expected, rtol=1e-9, atol=1e-11, check_dtype=True)


def _weighted(case: Case, xs: Sequence[Any]) -> Any:
    """One number: the differentiable outputs, each element with a weight."""
    outs = call(case, *xs)
    terms = [(outs[k] * wrap(numbers(case, f"g{k}", outs[k].shape))).sum() for k in differentiable(case)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _gradients(case: Case, xs: Sequence[Any]) -> tuple[Any, ...]:
    return tp.func.grad(lambda *at: _weighted(case, at), argnums=tuple(case.differentiable()))(*xs)


# --------------------------------------------------------------------------------------- forward mode


def directions(case: Case, inputs: Sequence[Any]) -> list[Any]:
    """A direction for each input that can move, None for the others."""
    wanted = case.differentiable()
    return [numbers(case, f"t{i}", np.shape(x)) if i in wanted else None for i, x in enumerate(inputs)]


def moved(case: Case, inputs: Sequence[Any], moves: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Outputs and their tangents, along the moves that are not None."""
    which = [i for i, t in enumerate(moves) if t is not None]
    tensors = tensors_of(inputs)

    def function(*chosen: Any) -> Any:
        changed = dict(zip(which, chosen, strict=True))
        return call(case, *(changed.get(i, x) for i, x in enumerate(tensors)))

    values, tangents = tp.func.jvp(function, tuple(tensors[i] for i in which), tuple(wrap(moves[i]) for i in which))
    return [v.numpy() for v in values], [t.numpy() for t in tangents]


def check_forward_mode(case: Case, layout: str = "contiguous") -> None:
    """All inputs moving, and each alone: against central differences, and against the backward rule."""
    inputs = case.arrays(layout=layout)
    full = directions(case, inputs)
    every = [full, *([t if i == k else None for i, t in enumerate(full)] for k in case.differentiable())]
    for moves in every:
        values, tangents = moved(case, inputs, moves)
        assert_close(values, [t.numpy() for t in call(case, *tensors_of(inputs))], **EXACT, check_dtype=True)
        for k in differentiable(case):
            expected = numeric.directional(lambda *at, k=k: call(case, *tensors_of(at))[k].numpy(), inputs, moves)
            assert_close(tangents[k], expected, RTOL, ATOL, check_dtype=True, name=f"tangent {k}")
        _check_duality(case, inputs, moves, tangents)


def _check_duality(case: Case, inputs: Sequence[Any], moves: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Σ g · (J t) = Σ (Jᵀ g) · t."""
    tensors = tensors_of(inputs)
    grads = dict(zip(case.differentiable(), _gradients(case, tensors), strict=True))
    left = sum(float(np.sum(numbers(case, f"g{k}", np.shape(tangents[k])) * tangents[k])) for k in differentiable(case))
    right = sum(float(np.sum(grads[i].numpy() * t)) for i, t in enumerate(moves) if t is not None)
    assert_close(left, right, 1e-9, 1e-11, name="forward and reverse mode")


def check_second_order(case: Case) -> None:
    """Forward over reverse, reverse over forward and forward over forward, against differences of the gradient."""
    inputs = case.arrays()
    wanted = case.differentiable()
    tensors = tensors_of(inputs)
    at = tuple(tensors[i] for i in wanted)
    along = tuple(wrap(numbers(case, f"t{i}", np.shape(inputs[i]))) for i in wanted)

    def number(*chosen: Any) -> Any:
        changed = dict(zip(wanted, chosen, strict=True))
        return _weighted(case, [changed.get(i, x) for i, x in enumerate(tensors)])

    gradient = tp.func.grad(number, argnums=tuple(range(len(wanted))))
    _, forward_over_reverse = tp.func.jvp(gradient, at, along)

    def slope(*chosen: Any) -> Any:
        return tp.func.jvp(number, chosen, along)[1]

    reverse_over_forward = tp.func.grad(slope, argnums=tuple(range(len(wanted))))(*at)
    _, forward_over_forward = tp.func.jvp(slope, at, along)
    expected = numeric.directional(
        lambda *moved: np.concatenate([g.numpy().ravel() for g in gradient(*map(wrap, moved))]),
        [x.numpy() for x in at],
        [t.numpy() for t in along],
    )
    for name, found in (("forward over reverse", forward_over_reverse), ("reverse over forward", reverse_over_forward)):
        flat = np.concatenate([g.numpy().ravel() for g in found])
        assert_close(flat, expected, RTOL, ATOL, name=name)
    weights = np.concatenate([t.numpy().ravel() for t in along])
    assert_close(float(forward_over_forward), float(weights @ expected), RTOL, ATOL, name="forward over forward")


def check_vmap_of_forward_mode(case: Case) -> None:
    """A value and a tangent for each example, against a loop."""
    rows = examples(case)
    arrays = tuple(i for i, x in enumerate(rows[0]) if isinstance(x, np.ndarray))
    wanted = case.differentiable()

    def function(*xs: Any) -> Any:
        def of_wanted(*chosen: Any) -> Any:
            changed = dict(zip(wanted, chosen, strict=True))
            return call(case, *(changed.get(i, x) for i, x in enumerate(xs)))

        moves = tuple(wrap(numbers(case, f"t{i}", xs[i].shape)) for i in wanted)
        values, tangents = tp.func.jvp(of_wanted, tuple(xs[i] for i in wanted), moves)
        return (*values, *tangents)

    mapped_like_a_loop(function, rows, arrays, 0)
