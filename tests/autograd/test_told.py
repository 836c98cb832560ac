"""What users are told: warnings at their line, nodes that name themselves."""

from __future__ import annotations

import warnings

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf

# --------------------------------------------------------------------------------- what users are told


def test_warnings_point_at_the_line_of_the_user():
    x = leaf(1.0)
    y = x * 2
    y.backward()
    triggers = [
        lambda: y.backward(),
        lambda: tp.autograd.backward(y),
        lambda: tp.autograd.backward([x * 1, tp.ones(1)]),
        lambda: (x * x).backward(create_graph=True),
        lambda: tp.autograd.backward((x * x).sum(), create_graph=True),
        lambda: tp.autograd.backward(x * 2, grad_variables=tp.ones(1)),
        lambda: tp.autograd.grad(x * 2, x, only_inputs=False),
        lambda: (x * 2).grad,
        lambda: tp.tensor(x),
        lambda: float(x),
    ]
    for trigger in triggers:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trigger()
        line = trigger.__code__.co_firstlineno
        assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)], line
        x.grad = None


def test_the_recorded_derivative_has_no_needless_casts():
    x, b = tp.ones(1, 2, requires_grad=True), leaf(1.0)
    (g,) = tp.autograd.grad(((x * b) ** 2).sum(), b, create_graph=True)
    assert g.grad_fn.name() == "SumToBackward"


# ------------------------------------------------------------------------------------- what nodes tell


def test_node_repr_names_kind_number_and_line():
    with tp.events.listening(lambda event: None, source=True):
        w, x = leaf(1.0), leaf(2.0)
        z = x * w
    text = repr(z.grad_fn)
    assert text.startswith(f"<MulBackward node {z.grad_fn.number}: ")
    assert "x * w" in text
    assert "test_told.py:" in text


def test_saved_values_can_be_read_until_they_are_freed():
    x = leaf(3.0)
    y = x * x.exp()
    assert y.grad_fn._saved_x.tolist() == [3.0]
    y.backward()
    with pytest.raises(tp.errors.FreedGraphError):
        y.grad_fn._saved_x  # noqa: B018
