"""Every rule runs in every namespace, and gives the same: one table, five readers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorplay.arrays.batch import Batched, BatchSpace
from tensorplay.arrays.cpu import cpu
from tensorplay.arrays.names import NAMES
from tensorplay.recording import tensors
from tensorplay.tensor import Tensor, wrap
from tensorplay.testing import assert_close, valid_cases
from tensorplay.testing.gpu_standin import DeviceArray, library, standin
from tensorplay.testing.shapes import ShapeArray, ValueRead, shape_of, shapes
from tests.ops.running import backward, forward, moved, seed_for

CASES = pytest.mark.parametrize("case", valid_cases(), ids=str)
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def on_the_cpu(case, dtype) -> tuple[list[Any], tuple[Any, ...], Any, tuple[Any, ...]]:
    """Inputs, outputs, the gradient sent in, and what the rules made of it."""
    inputs = case.arrays(dtype)
    outs = tuple(map(np.asarray, forward(cpu, case, inputs)))
    if not case.differentiable():
        return inputs, outs, None, ()
    g = seed_for(case, outs[0])
    return inputs, outs, g, backward(cpu, case, inputs, outs, g)


@CASES
@DTYPES
def test_gpu_standin(case, dtype):
    inputs, outs, g, grads = on_the_cpu(case, dtype)
    there = moved(library.asarray, inputs)
    results = forward(standin, case, there)
    assert all(type(result) is DeviceArray for result in results)
    assert_close([result.get() for result in results], list(outs), check_dtype=True)
    if grads:
        sent = backward(standin, case, there, results, library.asarray(g))
        assert_close([s.get() for s in sent], [np.asarray(s) for s in grads], check_dtype=True)


@CASES
@DTYPES
def test_shapes_alone(case, dtype):
    inputs, outs, g, grads = on_the_cpu(case, dtype)
    there = moved(shape_of, inputs)
    results = forward(shapes, case, there)
    assert [(r.shape, r.dtype) for r in results] == [(out.shape, out.dtype) for out in outs]
    if grads:
        sent = backward(shapes, case, there, results, shape_of(g))
        assert [(s.shape, s.dtype) for s in sent] == [(np.shape(s), np.asarray(s).dtype) for s in grads]


@CASES
@DTYPES
def test_tensors(case, dtype):
    inputs, outs, g, grads = on_the_cpu(case, dtype)
    there = moved(wrap, inputs)
    results = forward(tensors, case, there)
    assert all(type(result) is Tensor for result in results)
    assert_close([result.numpy() for result in results], list(outs), check_dtype=True)
    if grads:
        sent = backward(tensors, case, there, results, wrap(g))
        assert all(type(s) is Tensor for s in sent)
        assert_close([s.numpy() for s in sent], [np.asarray(s) for s in grads], check_dtype=True)


# ---------------------------------------------------------------------------------- a batch at once

BATCH = 3
batched = BatchSpace(cpu)


def examples(case, dtype) -> list[list[Any]]:
    """The sample's inputs, and two more examples with other numbers (positions and conditions are kept)."""
    first = case.arrays(dtype)
    rng = np.random.default_rng(7)

    def another(x: Any) -> Any:
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            return x
        order = np.arange(x.size) if case.op.family == "decomposition" else rng.permutation(x.size)  # stay invertible
        return np.asarray(x.reshape(-1)[order].reshape(x.shape) * x.dtype.type(0.9))

    return [first, *([another(x) for x in first] for _ in range(BATCH - 1))]


def stacked(columns: list[Any]) -> Any:
    return Batched(np.stack(columns), batched) if isinstance(columns[0], np.ndarray) else columns[0]


def unstacked(value: Any) -> Any:
    """The batch as an array; a result that does not depend on the batch is repeated."""
    return value.data if isinstance(value, Batched) else np.stack([np.asarray(value)] * BATCH)


def choices() -> list[Any]:
    """Each case with every set of inputs that may be a batch; with none, only the gradient that arrives is one."""
    rows = []
    for case in valid_cases():
        arrays = [i for i, x in enumerate(case.arrays()) if isinstance(x, np.ndarray)]
        sets = {(), tuple(arrays), *((i,) for i in arrays)}
        rows += [pytest.param(case, chosen, id=f"{case}-{chosen}") for chosen in sorted(sets)]
    return rows


@pytest.mark.parametrize(("case", "chosen"), choices())
def test_a_batch_against_a_loop(case, chosen):
    rows = examples(case, "float64")
    rows = [[x if i in chosen else rows[0][i] for i, x in enumerate(row)] for row in rows]
    loop = [tuple(map(np.asarray, forward(cpu, case, row))) for row in rows]
    columns = enumerate(zip(*rows, strict=True))
    there = [stacked(list(column)) if i in chosen else column[0] for i, column in columns]
    results = forward(batched, case, there)
    assert_close([unstacked(r) for r in results], [np.stack(out) for out in zip(*loop, strict=True)], check_dtype=True)
    if not case.differentiable():
        return
    gs = [np.asarray(seed_for(case, outs[0]) * (1 + n)) for n, outs in enumerate(loop)]
    one_by_one = [backward(cpu, case, row, outs, g) for row, outs, g in zip(rows, loop, gs, strict=True)]
    sent = backward(batched, case, there, results, stacked(gs))
    expected = [np.stack([np.asarray(s) for s in column]) for column in zip(*one_by_one, strict=True)]
    assert_close([unstacked(s) for s in sent], expected, check_dtype=True)


@pytest.mark.parametrize("namespace", [cpu, tensors, batched, standin, shapes], ids=lambda n: type(n).__name__)
def test_a_namespace_has_all_the_names(namespace):
    assert not [name for name in NAMES if not callable(getattr(namespace, name, None))]


@pytest.mark.parametrize("namespace", [standin, shapes], ids=lambda n: type(n).__name__)
def test_a_stand_in_refuses_all_other_names(namespace):
    assert {name for name in dir(namespace) if not name.startswith("_")} - {"rank", "level"} == set(NAMES)


# ----------------------------------------------------------------------- the stand-ins are strict


def test_the_gpu_refuses_the_host():
    x = library.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed"):
        np.asarray(x)
    with pytest.raises(TypeError, match="Unsupported type"):
        x + np.ones(2)
    with pytest.raises(TypeError, match="Unsupported type"):
        np.ones(2) + x
    with pytest.raises(TypeError):
        np.exp(x)
    with pytest.raises(TypeError, match="Unsupported type"):
        library.where(x > 1, x, np.ones(2))
    for read in (bool, float, int, list):
        with pytest.raises(TypeError, match="stop and wait"):
            read(x[0])


def test_the_gpu_lacks_what_cupy_lacks():
    with pytest.raises(AttributeError, match="module 'cupy' has no attribute 'errstate'"):
        library.errstate  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'ctypes'"):
        library.asarray([1.0]).ctypes  # noqa: B018


def test_the_gpu_gives_arrays_not_scalars():
    x = library.asarray([1.0, 2.0])
    assert type(x[0]) is type(library.sum(x)) is type(x.sum()) is DeviceArray
    assert x[0].shape == ()


def test_the_gpu_wraps_indices_and_refuses_repeated_assignment():
    x = library.asarray([1.0, 2.0, 3.0])
    assert x[library.asarray([4])].get().tolist() == [2.0]
    with pytest.raises(TypeError, match="undefined on a GPU"):
        x[library.asarray([0, 0])] = 1.0
    library.add.at(x, (library.asarray([0, 0]),), 1.0)
    assert x.get().tolist() == [3.0, 2.0, 3.0]


READERS = [bool, float, int, list, np.asarray, lambda x: x[0], lambda x: x.item(), hash]


@pytest.mark.parametrize("read", READERS, ids=lambda f: f.__name__)
def test_shapes_have_no_values(read):
    with pytest.raises(TypeError) as caught:
        read(ShapeArray((2,), np.float64))
    assert read is hash or caught.type is ValueRead
