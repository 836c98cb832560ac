"""How the op tests run an op through the tape: as a user's program would, with leaves and `autograd.grad`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.apply import apply
from tensorplay.tensor import wrap
from tensorplay.testing.samples import Case
from tests.ops.running import seed_for


def leaves(case: Case, inputs: Sequence[Any]) -> list[Any]:
    """A tensor for each array; those that can have a gradient require one."""
    wanted = case.differentiable()
    return [wrap(x, requires_grad=i in wanted) if isinstance(x, np.ndarray) else x for i, x in enumerate(inputs)]


def outputs(case: Case, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """What the user sees of the op's result."""
    out = apply(case.op, *tensors, **case.params)
    return out if isinstance(out, tuple) else (out,)


def gradients(case: Case, tensors: Sequence[Any], g: Any, create_graph: bool = False) -> tuple[Any, ...]:
    """The gradients of the first output, weighted by g, for the inputs that can have one."""
    wanted = [tensors[i] for i in case.differentiable()]
    out = outputs(case, tensors)[0]
    return tp.autograd.grad(out, wanted, g, create_graph=create_graph, materialize_grads=True)


def run(case: Case, dtype: Any = np.float64, layout: str = "contiguous") -> tuple[list[Any], list[Any]]:
    """Arrays of all outputs and of all gradients."""
    tensors = leaves(case, case.arrays(dtype, layout))
    outs = outputs(case, tensors)
    if not case.differentiable():
        return [out.numpy() for out in outs], []
    grads = gradients(case, tensors, wrap(seed_for(case, outs[0]._array)))
    return [out.detach().numpy() for out in outs], [grad.numpy() for grad in grads]
