"""The checks every op must pass. `test_ops.py` runs them; `test_tests.py` shows that they can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.testing import assert_close
from tensorplay.testing.samples import Case
from tests.ops.recorded import leaves, outputs, run
from tests.ops.references import REFERENCES

EXACT = {"rtol": 1e-6, "atol": 1e-7}
"""Central differences are good to some nine digits; a factor 2.001 for 2 is wrong by 5e-4."""


def check_forward(case: Case, dtype: Any, layout: str) -> None:
    """Values, shapes and dtypes of all outputs against plain NumPy; the inputs are left alone."""
    inputs = case.arrays(dtype, layout)
    copies = [np.copy(x) for x in inputs]
    outs = [out.detach().numpy() for out in outputs(case, leaves(case, inputs))]
    expected = REFERENCES[case.op.__name__](*case.arrays(dtype), **case.params)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert_close(outs, [np.asarray(e) for e in expected], check_dtype=True)
    for before, after in zip(copies, inputs, strict=True):
        assert np.array_equal(before, after), "an input was changed"


def check_first_order(case: Case, layout: str = "contiguous", **options: Any) -> None:
    """Every entry of every Jacobian against central differences."""
    tp.autograd.gradcheck(*as_function(case, layout), **EXACT, **options)


def check_second_order(case: Case, layout: str = "contiguous", **options: Any) -> None:
    """The same of the backward, as a function of the inputs and of the gradients that arrive, with gaps in memory."""
    tp.autograd.gradgradcheck(*as_function(case, layout), gen_non_contig_grad_outputs=True, **EXACT, **options)


def as_function(case: Case, layout: str) -> tuple[Callable[..., Any], list[Any]]:
    """The op as a function of the tensors among its inputs, and these."""
    inputs = leaves(case, case.arrays("float64", layout))
    places = [i for i, x in enumerate(inputs) if isinstance(x, tp.Tensor)]

    def call(*tensors: Any) -> tuple[Any, ...]:
        given = dict(zip(places, tensors, strict=True))
        return outputs(case, [given.get(i, x) for i, x in enumerate(inputs)])

    return call, [inputs[i] for i in places]


def check_layouts(case: Case, layout: str) -> None:
    """The same numbers laid out otherwise in memory give the same results."""
    outs, grads = run(case)
    assert_close(run(case, layout=layout), (outs, grads), rtol=1e-12, atol=1e-12, check_dtype=True)
