"""cat, stack, split, chunk and unbind: values, views, gradients and errors, and PyTorch's where it is installed."""

from __future__ import annotations

import pytest

import tensorplay as tp
from tensorplay import errors

PROGRAMS = {
    "cat": "lib.cat([x, x[:1] * 2], 0)",
    "cat, last dimension": "lib.cat((x, x, x), -1)",
    "cat with an empty vector": "lib.cat([x[0], lib.zeros(0)])",
    "concat": "lib.concat([x, x])",
    "cat of two dtypes": "lib.cat([x[0], lib.arange(2)])",
    "stack": "lib.stack([x, x * x])",
    "stack, last dimension": "lib.stack([x[0], x[1]], -1)",
    "split by a size": "x.split(2, 1)[1]",
    "split by sizes": "lib.split(x, [1, 0, 2], 1)[2] * lib.split(x, [1, 0, 2], dim=1)[0]",
    "chunk": "x.chunk(2, 1)[0]",
    "chunk into more than there are": "lib.cat(lib.chunk(x, 5, 1), 1)",
    "unbind": "x.unbind()[1] * x.unbind(1)[0].sum()",
    "pieces put together again": "lib.stack(x.unbind(1), 1) * lib.cat(x.split(1))",
}


def outcome(lib, program):
    x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = eval(program, {"lib": lib, "x": x})
    (y * y).sum().backward()
    return y.tolist(), str(y.dtype).rpartition(".")[2], x.grad.tolist(), y.requires_grad


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_as_in_pytorch(program):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    assert outcome(tp, program) == outcome(torch, program)


def test_pieces_are_views_that_share_memory_and_version():
    x = tp.arange(6.0).reshape(2, 3)
    for pieces in (x.split(1), x.chunk(2), x.unbind()):
        assert all(piece._is_view() and piece._base is x._base for piece in pieces)
    with tp.no_grad():
        x.unbind()[1].zero_()
    assert x.tolist() == [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]
    assert x._version == x.unbind()[0]._version == 1


def test_one_node_for_all_pieces_and_zeros_for_those_not_used():
    x = tp.ones(3, requires_grad=True)
    a, b, c = x.unbind()
    assert a.grad_fn is b.grad_fn is c.grad_fn and (a.output_nr, c.output_nr) == (0, 2)
    (b * 5).backward()
    assert x.grad.tolist() == [0.0, 5.0, 0.0]


def test_the_pieces_of_nothing():
    assert tp.zeros(0, 2).unbind() == ()
    assert [tuple(p.shape) for p in tp.zeros(0).chunk(3)] == [(0,)] * 3
    assert [tuple(p.shape) for p in tp.zeros(0).split(0)] == [(0,)]


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: tp.cat([]), errors.EmptyListError, "expects a non-empty list"),
        (lambda x: tp.stack(()), errors.EmptyListError, "expects a non-empty list"),
        (lambda x: tp.cat(x), errors.NotATensorError, "must be tuple of Tensors, not Tensor"),
        (lambda x: tp.cat([x, 1.0]), errors.NotATensorError, "expected a Tensor, but got float"),
        (lambda x: tp.cat([x, x[:, :1]]), errors.ShapeError, "Sizes of tensors must match except in dimension 0"),
        (lambda x: tp.cat([x, x[0]]), errors.ShapeError, "must have same number of dimensions"),
        (lambda x: tp.cat([x[0, 0]]), errors.ShapeError, "zero-dimensional tensor cannot be concatenated"),
        (lambda x: tp.cat([x], 2), errors.DimensionError, "Dimension out of range"),
        (lambda x: tp.stack([x, x[0]]), errors.ShapeError, "stack expects each tensor to be equal size"),
        (lambda x: x.split(0), errors.ShapeError, "split_size can only be 0"),
        (lambda x: x.split(-1), errors.ShapeError, "split_size be non-negative"),
        (lambda x: x.split([1, 2]), errors.ShapeError, "expects split_sizes to sum exactly to 2"),
        (lambda x: x.chunk(0), errors.ShapeError, "greater than 0"),
        (lambda x: x.sum().unbind(), errors.DimensionError, "tensor has no dimensions"),
        (lambda x: x.sum().split(1), errors.ShapeError, "at least a 1-dimensional tensor"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        call(tp.ones(2, 2))
