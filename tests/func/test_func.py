"""The function transforms, row by row; where PyTorch is installed it gives the same answers."""

from __future__ import annotations

import importlib
import threading
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.arrays import levels
from tensorplay.arrays.levels import frames
from tensorplay.autograd import modes
from tensorplay.func import forward
from tensorplay.testing import assert_close
from tests.autograd.rows import Row, identifier, run
from tests.func.corner_cases import GRADIENTS, STATELESS, VMAP
from tests.func.edit_cases import EDIT_CASES

ROWS = [*GRADIENTS, *VMAP, *STATELESS, *EDIT_CASES]


@pytest.mark.parametrize("row", ROWS, ids=identifier)
def test_row(row: Row) -> None:
    run(row)
    assert frames() == (), "a transform is left running"


@pytest.fixture
def torch() -> Any:
    library = pytest.importorskip("torch")
    importlib.import_module("torch.func")
    return library


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning")  # PyTorch, in linearize
@pytest.mark.parametrize("row", [row for row in ROWS if not row.differs], ids=identifier)
def test_pytorch_gives_the_same_answers(row: Row, torch: Any) -> None:
    run(row, torch)


@pytest.mark.parametrize("row", [row for row in ROWS if row.differs], ids=identifier)
def test_pytorch_still_differs(row: Row, torch: Any) -> None:
    with pytest.raises((Exception, pytest.fail.Exception)):
        run(row, torch)


# --------------------------------------------------------------------------------- beyond the rows


def test_a_tensor_that_escapes_from_vmap_cannot_be_used():
    kept = []
    tp.vmap(lambda x: kept.append(x) or x)(tp.ones(3))
    with pytest.raises(tp.errors.EscapedTensorError, match="after that vmap had returned"):
        kept[0] + 1
    with pytest.raises(tp.errors.EscapedTensorError, match="after that vmap had returned"):
        _ = kept[0] > 1


def test_a_tensor_that_escapes_from_jvp_is_its_primal():
    kept = []
    tp.func.jvp(lambda x: kept.append(x) or x, (tp.ones(3),), (tp.ones(3),))
    assert (kept[0] * 2).tolist() == [2.0, 2.0, 2.0]
    assert repr(kept[0]) == "tensor([1., 1., 1.])"


def test_an_error_inside_leaves_nothing_running():
    for transform in (tp.vmap, tp.func.grad, tp.func.jacfwd, tp.func.jacrev, tp.func.hessian):
        with pytest.raises(ZeroDivisionError):
            transform(lambda x: 1 // 0)(tp.ones(2))
        assert frames() == ()
        assert tp.is_grad_enabled()
    x = tp.ones(2, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_dual_level_left_open_inside_vmap_ends_with_it():
    tp.vmap(lambda x: x * (tp.autograd.forward_ad.enter_dual_level() + 1))(tp.ones(2))
    assert frames() == ()


def test_transforms_are_per_thread():
    seen = []

    def look(x: Any) -> Any:
        thread = threading.Thread(target=lambda: seen.append(frames()))
        thread.start()
        thread.join()
        return x

    tp.vmap(look)(tp.ones(2))
    assert seen == [()]


def test_what_is_printed_inside_is_readable():
    texts = []
    tp.vmap(lambda x: texts.append(repr(x)) or x)(tp.ones(2, 3))
    tp.func.jvp(lambda x: texts.append(repr(x)) or x, (tp.ones(2),), (tp.ones(2),))
    tp.vmap(lambda t: tp.func.jvp(lambda x: texts.append(repr(x)) or x, (tp.ones(2),), (t,))[1])(tp.eye(2))
    assert texts[0].startswith("tensor(batch of 2 of shape [3]: tensor([[1., 1., 1.]")
    assert texts[1] == "tensor([1., 1.], tangent=tensor([1., 1.]))"
    assert texts[2].startswith("tensor([1., 1.], tangent=tensor(batch of 2")


def test_a_listener_hears_what_a_transform_is_made_of():
    heard: list[Any] = []
    with tp.events.listening(heard.append):
        tp.vmap(tp.func.grad(lambda x: (x * x).sum()))(tp.ones(3, 2))
        tp.func.jvp(tp.func.grad(lambda x: (x * x.softmax(0)).sum()), (tp.ones(2),), (tp.ones(2),))
        tp.func.jvp(lambda x: x.softmax(0), (tp.ones(2),), (tp.ones(2),))
    ops = [event for event in heard if isinstance(event, tp.events.OpExecuted)]
    assert {event.op.__name__ for event in ops} >= {"Mul", "Sum"}
    arrays = [t._array for event in ops for t in (*event.inputs, *event.outputs) if isinstance(t, tp.Tensor)]
    assert all(type(array).__name__ == "ndarray" for array in arrays)
    assert not [event for event in heard if isinstance(event, tp.events.PassEvent)]


def test_results_are_the_same_while_somebody_listens():
    def program() -> list[Any]:
        x = tp.tensor([0.5, 1.5, -1.0])
        return [tp.func.hessian(lambda a: (a.exp() * a.softmax(0)).sum())(x).tolist(),
                tp.vmap(tp.func.grad(lambda a: (a.tanh() * a).sum()))(tp.stack([x, x * 2])).tolist()]  # fmt: skip

    quiet = program()
    with tp.events.listening(lambda event: None):
        assert program() == quiet


def test_saved_tensor_hooks_and_anomaly_mode_work_inside():
    x = tp.ones(2)
    expected = tp.func.hessian(lambda a: (a**3).sum())(x).tolist()
    with tp.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        assert tp.func.hessian(lambda a: (a**3).sum())(x).tolist() == expected
        assert tp.vmap(tp.func.grad(lambda a: a**3))(x).tolist() == [3.0, 3.0]
    with pytest.warns(UserWarning, match="Anomaly"):
        context = tp.autograd.detect_anomaly()
    with context:
        assert tp.func.hessian(lambda a: (a**3).sum())(x).tolist() == expected


def test_linearize_evaluates_the_function_once():
    calls = []
    _, push = tp.func.linearize(lambda x: calls.append(1) or x * x, tp.ones(2))
    assert [push(tp.ones(2)).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3
    assert len(calls) == 1


def test_a_mapped_function_keeps_its_name_and_text():
    def f(x: Any) -> Any:
        """What f does."""
        return x

    for transform in (tp.vmap, tp.func.grad, tp.func.jacrev, tp.func.jacfwd):
        assert (transform(f).__name__, transform(f).__doc__) == ("f", "What f does.")


# ---------------------------------------------------------------------------- do the checks bite?


def gradient_through_a_mapped_gradient() -> None:
    """∂/∂p of Σ exp(∂/∂a p·a) over four examples is 4 exp(p): the inner pass must leave the outer layer recording."""
    p, examples = tp.tensor([0.5, -1.0, 2.0]), tp.ones(4, 3)
    inner = tp.vmap(tp.func.grad(lambda a, p: (p * a).sum()), in_dims=(0, None))
    found = tp.func.grad(lambda p: inner(examples, p).exp().sum())(p)
    assert_close(found, 4 * p.exp(), rtol=1e-6)


def derivative_beside_a_derivative() -> None:
    """d/da of a · d/db (a + b) is 1: the inner direction must not reach the outer one."""
    one = tp.tensor(1.0)
    _, slope = tp.func.jvp(lambda a: a * tp.func.jvp(lambda b: a + b, (one,), (one,))[1], (one,), (one,))
    assert slope.item() == 1.0


PLANTED = [
    ("a pass stops all layers", modes.LayerMode, "at", lambda mode, level: mode.on, gradient_through_a_mapped_gradient),
    ("one level for all", levels, "next_level", lambda: 1, derivative_beside_a_derivative),
]


@pytest.mark.parametrize(("where", "name", "wrong", "check"), [row[1:] for row in PLANTED], ids=[r[0] for r in PLANTED])
def test_a_wrong_layer_is_caught(monkeypatch, where, name, wrong, check):
    check()
    for module in (where, forward) if hasattr(forward, name) else (where,):
        monkeypatch.setattr(module, name, wrong)
    with pytest.raises(Exception):  # noqa: B017 (a wrong answer, or an error on the way)
        check()
