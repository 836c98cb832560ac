"""Every rule runs in every namespace, and gives the same: one table, five readers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorplay.arrays.cpu import cpu
from tensorplay.arrays.names import NAMES
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


@pytest.mark.parametrize("namespace", [cpu, standin, shapes], ids=lambda n: type(n).__name__)
def test_a_namespace_has_exactly_the_names(namespace):
    public = {name for name in dir(namespace) if not name.startswith("_")}
    assert public - {"rank"} == set(NAMES)


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
