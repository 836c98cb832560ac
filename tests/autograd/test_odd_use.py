"""Odd use of hooks, gradients and edges: what one would not write, and what must still be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import errors
from tensorplay.errors import ConversionError, GradError, GradTypeError, HookError, NonScalarError


def leaf(*values: float, dtype: tp.DType = tp.float32) -> tp.Tensor:
    return tp.tensor(list(values), dtype=dtype, requires_grad=True)


# ------------------------------------------------------------------------------------------ vectors


def test_a_vector_that_does_not_fit_is_named_by_its_place() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(GradError, match=r"grad_output\[1\] has a shape of \[3\] and output\[1\] has a shape of \[2\]"):
        tp.autograd.backward([x * 2, x * 3], [tp.ones(2), tp.ones(3)])


def test_options_of_grad_that_contradict_each_other_have_a_named_error() -> None:
    x = leaf(1.0)
    with pytest.raises(errors.GradOptionError, match="Expected allow_unused to be True or not passed"):
        tp.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


# -------------------------------------------------------------------------------------------- hooks


@pytest.mark.parametrize("create", [False, True])
def test_an_edit_in_a_hook_reaches_no_other_branch(create: bool) -> None:
    x, seed = leaf(1.0, 2.0), tp.ones(2)
    a, b = x * 1, x * 1

    def edit(g: tp.Tensor) -> None:
        with tp.no_grad():
            g.mul_(10)

    b.register_hook(edit)
    (g,) = tp.autograd.grad(a + b, x, seed, create_graph=create)
    assert g.tolist() == [11.0, 11.0]
    assert seed.tolist() == [1.0, 1.0]


def test_a_hook_that_only_looks_leaves_no_node_in_the_recorded_derivative() -> None:
    def names(watched: bool) -> list[str]:
        x = leaf(2.0)
        y = x * x
        if watched:
            y.register_hook(lambda g: None)
        (g,) = tp.autograd.grad(y, x, tp.ones(1, requires_grad=True), create_graph=True)
        return [g.grad_fn.name(), *(n.name() for n, _ in g.grad_fn.next_functions)]

    assert names(True) == names(False)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("hook", [lambda g: g * 10, lambda g: g.sum() + 0 * g, lambda g: tp.ones(2)])
def test_hooks_see_one_example_of_a_batch(hook, create: bool) -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    y.register_hook(hook)
    vectors = tp.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    (batch,) = tp.autograd.grad(y, x, vectors, is_grads_batched=True, create_graph=create, retain_graph=True)
    alone = [tp.autograd.grad(y, x, v, retain_graph=True)[0].tolist() for v in vectors]
    assert batch.tolist() == alone
    assert batch.requires_grad == create


def test_a_batch_can_be_printed_and_edited() -> None:
    x = leaf(1.0, 2.0)
    y, seen = x * x, []
    y.register_hook(lambda g: seen.append(repr(g)))
    tp.autograd.grad(y, x, tp.eye(2), is_grads_batched=True, retain_graph=True)
    assert seen == ["tensor(Batched(2 of shape [2]))"]
    y.register_hook(lambda g: g.mul_(2))
    y.register_hook(lambda g: (g[0:1].mul_(5), None)[1])
    (batch,) = tp.autograd.grad(y, x, tp.eye(2), is_grads_batched=True)
    assert batch.tolist() == [[20.0, 0.0], [0.0, 8.0]]


def test_a_node_prehook_may_drop_the_gradient() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda gs: (None,))
    y.sum().backward()
    assert x.grad is None


@pytest.mark.parametrize("invented", ["text", tp.ones(1)])
def test_a_node_hook_invents_no_gradient(invented: object) -> None:
    y = leaf(1.0) * tp.ones(1)
    y.grad_fn.register_hook(lambda sent, arrived: (sent[0], invented))
    with pytest.raises(HookError, match="can't replace a None gradient"):
        y.backward()


# ------------------------------------------------------------------------------------- .grad, .data


def test_assigning_grad_and_data() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(GradError, match="can't assign Variable as its own grad"):
        x.grad = x
    x.grad = tp.ones(2)
    del x.grad
    assert x.grad is None
    with pytest.raises(GradTypeError, match="Variable data has to be a tensor"):
        x.data = 3  # type: ignore[assignment]
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        x.data = tp.tensor([1, 2])
    with pytest.raises(GradError, match="requires_grad must be a bool"):
        x.requires_grad = "no"  # type: ignore[assignment]


class Wider(tp.autograd.Function):
    """A rule that answers in float64."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.to(tp.float64) * 2


WIDE = {
    "a product with float64": lambda x: x * tp.ones(2, dtype=tp.float64),
    "stretched": lambda x: x * tp.ones(3, 2, dtype=tp.float64),
    "a Function": Wider.apply,
    "joined by a float32 one": lambda x: Wider.apply(x) + x,
    "its own root": lambda x: x,
}


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("chosen", [None, tp.float16, tp.float32, tp.float64], ids=str)
@pytest.mark.parametrize("function", WIDE.values(), ids=WIDE)
def test_grad_dtype_none_keeps_what_arrives(function: Any, chosen: Any, create: bool) -> None:
    x, seen = leaf(1.0, 2.0), []
    y = function(x)
    x.grad_dtype = chosen  # it counts when the gradient arrives
    x.register_hook(lambda g: seen.append(g.dtype))
    g = tp.ones(y.shape, dtype=tp.float64)
    (found,) = tp.autograd.grad(y, x, g, create_graph=create, retain_graph=True)
    tp.autograd.backward(y, g)
    assert x.grad is not None
    assert {x.grad.dtype, found.dtype, *seen} == {chosen or tp.float64}


def test_grad_dtype_undoes_no_cast_that_was_asked_for() -> None:
    x = leaf(1.0, 2.0)
    x.grad_dtype = None
    (x.to(tp.float64) * 2).sum().backward()
    assert x.grad is not None and x.grad.dtype is tp.float32
    x.grad = None
    (x * 1j).sum().backward(tp.tensor(1j))
    assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]


def test_grad_dtype_is_that_of_a_hooks_answer() -> None:
    x = leaf(1.0, 2.0)
    x.grad_dtype = tp.float64
    x.register_hook(lambda g: g * 3)
    (x * 2).sum().backward()
    assert x.grad is not None and (x.grad.dtype, x.grad.tolist()) == (tp.float64, [6.0, 6.0])


def test_a_grad_of_integers_takes_no_fractions() -> None:
    x = leaf(1.0, 2.0)
    x.grad_dtype = None
    x.grad = tp.ones(2, dtype=tp.int64)
    with pytest.raises(GradError, match=r"result type .* can't be cast to the desired output type .*int64"):
        (x * 2.5).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_the_first_gradient_decides_the_dtype() -> None:
    x = leaf(1.0, 2.0)
    x.grad_dtype = None
    (x * 2).sum().backward()
    Wider.apply(x).sum().backward()
    assert x.grad is not None and (x.grad.dtype, x.grad.tolist()) == (tp.float32, [4.0, 4.0])


@pytest.mark.parametrize(
    ("shape", "says"),
    [((3,), r"The size of tensor a \(2\) must match the size of tensor b \(3\)"), ((2, 2), "output with shape")],
)
@pytest.mark.parametrize("inference", [False, True])
def test_a_grad_of_the_old_data_takes_no_other_shape(shape: tuple[int, ...], says: str, inference: bool) -> None:
    x = leaf(1.0, 2.0)
    with tp.inference_mode(inference):
        x.grad = tp.ones(2)
    x.data = tp.ones(shape)
    if inference and shape == (2, 2):  # a new tensor, which may have the larger shape
        return (x * 2).sum().backward()
    with pytest.raises(GradError, match=says):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", [float, complex])
def test_a_number_of_a_tensor_with_history_leaves_the_graph(kind: Any) -> None:
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert kind(leaf(1.0, 2.0)[0]) == 1
    assert int(leaf(1.0, 2.0)[0]) == 1


@pytest.mark.parametrize("kind", [float, int])
def test_a_complex_number_is_no_real_one(kind: Any) -> None:
    with pytest.raises(ConversionError, match="without overflow"):
        kind(tp.tensor(1 + 1j))
    assert kind(tp.tensor([2 + 0j])) == 2


@pytest.mark.parametrize(("made", "given"), [(tp.complex64, tp.float32), (tp.float32, tp.complex64)])
def test_a_seed_is_complex_where_the_output_is(made: tp.DType, given: tp.DType) -> None:
    x = tp.ones(1, dtype=made, requires_grad=True)
    with pytest.raises(GradError, match="both grad_output and output are required to have the same dtype"):
        (x * x).backward(tp.ones(1, dtype=given))
    (x * x).backward(tp.ones(1, dtype=tp.complex128 if made is tp.complex64 else tp.float64))


def test_no_batch_of_gradients_is_said_to_be_missing() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(NonScalarError, match=r"not with is_grads_batched=True: .* for an output of shape \[\]"):
        tp.autograd.grad(x.sum(), x, None, is_grads_batched=True)


def test_an_inference_tensor_as_grad_is_replaced() -> None:
    x = leaf(1.0, 2.0)
    with tp.inference_mode():
        x.grad = tp.ones(2)
    (x * 3).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [4.0, 4.0]


# ---------------------------------------------------------------------------- edges, seeds, dtypes


@pytest.mark.parametrize("vector", [None, tp.ones(())])
def test_an_edge_keeps_the_dtype_of_its_tensor(vector: tp.Tensor | None) -> None:
    x = leaf(1.0, 2.0, dtype=tp.float64)
    edge = tp.autograd.graph.get_gradient_edge(((x + 1) * 0.1).sum())
    tp.autograd.backward(edge, vector)
    assert x.grad is not None and x.grad.dtype is tp.float64
    assert x.grad.tolist() == [0.1, 0.1]


def test_the_edge_of_a_leaf_is_a_root_and_an_input() -> None:
    x = leaf(1.0, 2.0)
    edge = tp.autograd.graph.get_gradient_edge(x)
    tp.autograd.backward(edge, tp.ones(2))
    assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]
    (zeros,) = tp.autograd.grad(leaf(3.0) * 2, edge, materialize_grads=True)
    assert zeros.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("other", [1j, 1 + 2j, tp.tensor([1 + 2j])])
@pytest.mark.parametrize("op", [lambda x, c: x + c, lambda x, c: x * c, lambda x, c: x**c])
def test_a_real_leaf_takes_the_real_part_of_a_complex_gradient(op, other) -> None:
    x = leaf(2.0)
    op(x, other).sum().backward(tp.ones((), dtype=tp.complex64))
    assert x.grad is not None and x.grad.dtype is tp.float32


def test_seeds_and_inputs_of_the_wrong_kind() -> None:
    x = leaf(1.0)
    with pytest.raises(NonScalarError, match="real scalar outputs"):
        tp.tensor(1j, requires_grad=True).backward()
    with pytest.raises(GradTypeError, match="gradients can be either Tensors or None"):
        tp.autograd.backward(x * 2, object())
    with pytest.raises(GradTypeError, match="got NoneType"):
        (x * 2).backward(inputs=[None])


def test_one_mode_object_decorates_twice() -> None:
    mode = tp.set_grad_enabled(True)
    first, second = mode(tp.is_grad_enabled), mode(tp.is_grad_enabled)
    assert first() and second()


def test_backward_through_negative_strides() -> None:
    array = np.arange(6, dtype="float32").reshape(2, 3)[::-1, ::-1]
    x = tp.from_numpy(array).requires_grad_()
    (x * x).sum().backward()
    assert x.grad is not None and (x.grad.numpy() == 2 * array).all()


# ------------------------------------------------------------------------ arguments of the wrong kind


class Split(tp.autograd.Function):
    """The new form: forward without ctx."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass


class Crossed(Split):
    """The old forward(ctx, x) beside a setup_context."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:  # type: ignore[override]
        return x * 2


def mapped_with(dims: Any) -> Any:
    return tp.vmap(type("Split", (Split,), {"vmap": staticmethod(lambda info, in_dims, x: (x, dims))}).apply)(
        tp.ones(2, 3)
    )


graph = tp.autograd.graph
REFUSED: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("hook", lambda: (leaf(1.0) * 2).register_hook(3), errors.NotCallableError, "a hook must be callable, got int"),
    ("hook of a leaf", lambda: leaf(1.0).register_hook("f"), errors.NotCallableError, "callable, got str"),
    (
        "post-accumulate hook",
        lambda: leaf(1.0).register_post_accumulate_grad_hook(None),
        errors.NotCallableError,
        "callable, got NoneType",
    ),
    ("node hook", lambda: (leaf(1.0) * 2).grad_fn.register_hook(3), errors.NotCallableError, "callable, got int"),
    ("prehook", lambda: (leaf(1.0) * 2).grad_fn.register_prehook(3), errors.NotCallableError, "callable, got int"),
    (
        "multi-grad hook",
        lambda: graph.register_multi_grad_hook([leaf(1.0)], 3),
        errors.NotCallableError,
        "callable, got int",
    ),
    (
        "a tensor for several",
        lambda: graph.register_multi_grad_hook(leaf(1.0), print),
        errors.NotATensorError,
        r"got a Tensor, whose rows are new tensors: write \[x\]",
    ),
    (
        "a number among tensors",
        lambda: graph.register_multi_grad_hook([1.0], print),
        errors.NotATensorError,
        "expected a Tensor, but got float",
    ),
    ("edge of a number", lambda: graph.get_gradient_edge(1.0), errors.NotATensorError, "but got float"),
    ("no_grad of a number", lambda: tp.no_grad()(3), errors.NotCallableError, "write `with tp.no_grad"),
    (
        "ctx beside setup_context",
        lambda: Crossed.apply(leaf(1.0)),
        errors.FunctionTypeError,
        r"Crossed.apply\(\): missing a required argument: 'x'.* without ctx, because there is a setup_context",
    ),
    ("vmap out_dims too large", lambda: mapped_with(5), errors.FunctionError, "out_dims=5 .*from -2 to 1, or None"),
    ("vmap out_dims a text", lambda: mapped_with("a"), errors.FunctionError, "out_dims='a' for an output of shape"),
    ("list as gradient", lambda: (leaf(1.0) * 2).backward([1.0]), GradTypeError, "got list: tp.tensor"),
    ("len of a number", lambda: len(leaf(1.0).sum()), errors.SingleNumberError, "single number"),
    ("loop over a number", lambda: list(leaf(1.0).sum()), errors.SingleNumberError, "single number"),
    (
        "a number for linear",
        lambda: tp.nn.functional.linear(leaf(1.0).sum(), tp.ones(2, 3)),
        errors.ShapeError,
        "both arguments to linear need to be at least 1D, but they are 0D and 2D",
    ),
    (
        "a number as weight",
        lambda: tp.nn.functional.linear(tp.ones(2, 3), leaf(1.0).sum(), tp.ones(2)),
        errors.ShapeError,
        "both arguments to linear need to be at least 1D, but they are 2D and 0D",
    ),
    (
        "linear of two numbers",
        lambda: tp.nn.functional.linear(leaf(1.0).sum(), leaf(1.0).sum()),
        errors.ShapeError,
        "both arguments to linear need to be at least 1D, but they are 0D and 0D",
    ),
    (
        "anomaly by a text",
        lambda: tp.autograd.detect_anomaly("a"),
        errors.ModeTypeError,
        r"detect_anomaly\(\): argument 'check_nan' must be bool, not str",
    ),
    ("anomaly mode 1", lambda: tp.autograd.set_detect_anomaly(1), errors.ModeTypeError, "'mode' must be bool, not int"),
    ("text as index", lambda: leaf(1.0)["a"], errors.IndexingError, "got str$"),
]


@pytest.mark.parametrize(("call", "error", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_arguments_of_the_wrong_kind_are_named(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()
