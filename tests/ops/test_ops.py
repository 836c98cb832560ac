"""Every op on every sample: values, first and second derivatives, layouts, dtypes, errors, documentation."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.ops.base import OPS
from tensorplay.testing import LAYOUTS, invalid_cases, valid_cases
from tests.ops import checks
from tests.ops.recorded import gradients, leaves, outputs, run
from tests.ops.references import REFERENCES
from tests.ops.running import seed_for

VALID = valid_cases()
CASES = pytest.mark.parametrize("case", VALID, ids=str)
DIFFERENTIABLE = pytest.mark.parametrize("case", [c for c in VALID if c.differentiable()], ids=str)
EVERY_OP = pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.__name__)


@CASES
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_forward(case, dtype):
    checks.check_forward(case, dtype, "contiguous")


@DIFFERENTIABLE
def test_first_derivatives(case):
    checks.check_first_order(case)


@DIFFERENTIABLE
def test_second_derivatives(case):
    checks.check_second_order(case)


@DIFFERENTIABLE
def test_derivatives_in_other_layouts_and_modes(case):
    """Moved where they lie in memory, along random vectors; forward mode, batches, and forward over backward too."""
    batched = {"fast_mode": True, "check_batched_grad": True}
    checks.check_first_order(case, "strided", check_forward_ad=True, check_batched_forward_grad=True, **batched)
    checks.check_second_order(case, "backwards", check_fwd_over_rev=True, **batched)


@CASES
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "contiguous"])
def test_other_layouts(case, layout):
    checks.check_forward(case, "float64", layout)
    checks.check_layouts(case, layout)


@DIFFERENTIABLE
def test_gradients_have_the_dtype_and_shape_of_their_leaf(case):
    inputs = case.arrays("float32")
    _, grads = run(case, "float32")
    assert [(g.dtype, g.shape) for g in grads] == [(inputs[i].dtype, inputs[i].shape) for i in case.differentiable()]


@pytest.mark.parametrize("case", [c for c in VALID if len(c.differentiable()) > 1], ids=str)
@pytest.mark.parametrize("create_graph", [False, True], ids=["first", "second"])
def test_mixed_dtypes_give_each_leaf_its_own(case, create_graph):
    """A float32 operand beside a float64 one: the result is float64, each gradient has its leaf's dtype."""
    kinds = ["float32", "float64", "float32"][: len(case.differentiable())]
    inputs = case.arrays("float64")
    for i, kind in zip(case.differentiable(), kinds, strict=True):
        inputs[i] = inputs[i].astype(kind)
    tensors = leaves(case, inputs)
    out = outputs(case, tensors)[0]
    grads = gradients(case, tensors, tp.ones_like(out), create_graph)
    assert [g.dtype.name for g in grads] == kinds
    if create_graph and all(g.requires_grad for g in grads):
        wanted = [tensors[i] for i in case.differentiable()]
        second = tp.autograd.grad(sum(g.sum() * g.sum() for g in grads), wanted, materialize_grads=True)
        assert [g.dtype.name for g in second] == kinds


@DIFFERENTIABLE
def test_only_what_needs_a_gradient_gets_one(case):
    """With one input at a time requiring a gradient, that gradient is as before, and the others stay without."""
    inputs = case.arrays()
    _, together = run(case)
    for which, expected in zip(case.differentiable(), together, strict=True):
        tensors = [t.detach() if isinstance(t, tp.Tensor) else t for t in leaves(case, inputs)]
        tensors[which].requires_grad_()
        out = outputs(case, tensors)[0]
        out.backward(tp.tensor(seed_for(case, out._array)))
        assert np.array_equal(tensors[which].grad.numpy(), expected)
        assert [t.grad for i, t in enumerate(tensors) if isinstance(t, tp.Tensor) and i != which].count(None) == sum(
            isinstance(t, tp.Tensor) for t in tensors
        ) - 1


@pytest.mark.parametrize("case", invalid_cases(), ids=str)
def test_invalid_samples_raise_the_error_they_name(case):
    with pytest.raises(getattr(tp.errors, case.sample.error)) as caught:
        outputs(case, leaves(case, case.arrays("float32")))
    assert case.sample.match in str(caught.value)


@pytest.mark.parametrize("case", [c for c in VALID if c.op.nondiff], ids=str)
def test_outputs_without_a_gradient_require_none(case):
    outs = outputs(case, leaves(case, case.arrays()))
    flags = {name: out.requires_grad for name, out in zip(case.op.outputs, outs, strict=False)}
    assert not any(flags[name] for name in case.op.nondiff)


# ------------------------------------------------------------------------------ the table itself


@EVERY_OP
def test_every_op_has_what_pictures_and_docs_need(op):
    assert op.label
    assert op.formula
    assert op.family
    assert (op.__doc__ or "").strip()
    if op.joint is None:
        assert set(op.local) == set(op.rules)
    assert all(op.local.values())


@EVERY_OP
def test_every_op_has_samples_and_a_reference(op):
    assert any(sample.error is None for sample in op.samples)
    assert op.__name__ in REFERENCES


def test_the_samples_cover_the_corners():
    """Somewhere in the table: 0-d, size 0, broadcasting, numbers, other float parameters, several outputs."""
    shapes = {x.shape for case in VALID for x in case.arrays() if isinstance(x, np.ndarray)}
    assert () in shapes
    assert any(0 in shape for shape in shapes)
    assert any(len(shape) >= 3 for shape in shapes)
    assert any(isinstance(x, float) for case in VALID for x in case.sample.inputs)
    assert {case.op.family for case in VALID} >= {
        "pointwise", "broadcasting", "reduction", "shaping", "indexing", "contraction", "fused",
    }  # fmt: skip


OF_EACH = {"contraction", "fused", "indexing", "joining", "pointwise", "shaping"}
"""The files whose ops each have a sample of size 0 and a 0-d one."""

NEVER_0D = {
    "MatMul", "Linear", "Softmax", "LogSoftmax", "CrossEntropy",  # sum over a dimension
    "Gather", "Scatter", "AddAt",  # pick along one
    "Cat", "Split", "Unbind",  # join or part along one
}  # fmt: skip
"""Ops that need a dimension: the functions in front of them give a single number one, or refuse it."""


@pytest.mark.parametrize("op", [o for o in OPS.values() if o.__module__.rpartition(".")[2] in OF_EACH], ids=str)
def test_the_samples_of_each_op_cover_size_0_and_0_d(op):
    arrays = (x for case in VALID if case.op is op for x in case.arrays())
    shapes = {x.shape for x in arrays if isinstance(x, np.ndarray)}
    assert any(0 in shape for shape in shapes)
    assert (() in shapes) == (op.__name__ not in NEVER_0D)
