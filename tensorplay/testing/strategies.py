"""Hypothesis strategies: shapes that broadcast, arrays, and whole random programs.

A `Program` is data: shapes of inputs and a list of steps. It runs on tensors of any library with these methods
(ours, PyTorch), so two libraries can be compared on the same program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

__all__ = ["Program", "Step", "broadcastable_shapes", "programs"]

Shape = tuple[int, ...]


def broadcastable_shapes(count: int = 2, max_dims: int = 3, max_side: int = 3) -> st.SearchStrategy[tuple[Shape, ...]]:
    """`count` shapes that broadcast together, sizes 0 and 1 and unequal ranks included."""
    drawn = mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_dims=max_dims, max_side=max_side)
    return drawn.map(lambda found: found.input_shapes)


# -------------------------------------------------------------------------------------- programs

UNARY: dict[str, Callable[[Any], Any]] = {
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "exp∘tanh": lambda x: x.tanh().exp(),
    "log(2+x²)": lambda x: (x * x + 2.0).log(),
    "sqrt(1+x²)": lambda x: (1.0 + x * x).sqrt(),
    "x·0.5": lambda x: x * 0.5,
    "1-x": lambda x: 1.0 - x,
    "neg": lambda x: -x,
    "tanh²": lambda x: x.tanh() ** 2,
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.tanh().log_softmax(0),
    "transpose": lambda x: x.transpose(0, 1),
    "reshape": lambda x: x.reshape(x.shape[1], x.shape[0]),
    "flatten": lambda x: x.flatten().unsqueeze(0),
    "row": lambda x: x[0:1],
    "columns": lambda x: x[:, ::2],
    "twice a row": lambda x: x[[0, -1, 0]],
    "sum rows": lambda x: x.sum(0, keepdim=True),
    "mean columns": lambda x: x.mean(1, keepdim=True),
    "total": lambda x: x.sum().reshape(1, 1),
    "expand": lambda x: x.mean().expand(2, 3),
}
"""Steps of one operand. Every value in a program is a matrix of small numbers, so no step can overflow."""

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "·tanh": lambda x, y: x * y.tanh(),
    "/(2+sigmoid)": lambda x, y: x / (y.sigmoid() + 2.0),
}
"""Steps of two operands that broadcast."""


@dataclass(frozen=True)
class Step:
    """One line of a program: a name from UNARY, BINARY or "@", and the numbers of earlier values."""

    name: str
    operands: tuple[int, ...]

    def run(self, values: Sequence[Any]) -> Any:
        """The step's result from the values so far."""
        operands = [values[i] for i in self.operands]
        if self.name == "@":
            return (operands[0] @ operands[1].transpose(0, 1)) * 0.25
        table: dict[str, Callable[..., Any]] = BINARY if len(operands) == 2 else UNARY
        return table[self.name](*operands)


@dataclass(frozen=True)
class Program:
    """Input shapes, steps, and a seed for the numbers; `run` gives the sum of squares of every value made."""

    shapes: tuple[Shape, ...]
    steps: tuple[Step, ...]
    seed: int

    def arrays(self, dtype: Any = np.float64) -> list[Any]:
        """The inputs as arrays, drawn from the program's seed."""
        rng = np.random.default_rng(self.seed)
        return [rng.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes]

    def run(self, inputs: Sequence[Any]) -> Any:
        """One number that depends on every step."""
        values = list(inputs)
        for step in self.steps:
            values.append(step.run(values))
        total = (values[0] * values[0]).sum()
        for value in values[1:]:
            total = total + (value * value).mean()
        return total


@st.composite
def programs(draw: st.DrawFn, max_steps: int = 8) -> Program:
    """Random programs over matrices: broadcasting, reductions, views, indexing and products, values reused."""
    shapes = [draw(st.sampled_from([(2, 3), (1, 3), (2, 1), (3, 3), (1, 1)])) for _ in range(draw(st.integers(1, 3)))]
    known: list[Shape] = list(shapes)
    steps = []
    for _ in range(draw(st.integers(1, max_steps))):
        step = draw(_steps(known))
        known.append(_shape_of(step, known))
        steps.append(step)
    return Program(tuple(shapes), tuple(steps), draw(st.integers(0, 2**16)))


def _steps(known: Sequence[Shape]) -> st.SearchStrategy[Step]:
    """Steps whose operands fit together."""
    numbers = range(len(known))
    fitting = [(i, j) for i in numbers for j in numbers if _fit(known[i], known[j])]
    inner = [(i, j) for i in numbers for j in numbers if known[i][1] == known[j][1]]
    return st.one_of(
        st.builds(Step, st.sampled_from(list(UNARY)), st.tuples(st.sampled_from(list(numbers)))),
        st.builds(Step, st.sampled_from(list(BINARY)), st.sampled_from(fitting)),
        st.builds(Step, st.just("@"), st.sampled_from(inner)),
    )


def _fit(a: Shape, b: Shape) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(a, b, strict=True))


def _shape_of(step: Step, known: Sequence[Shape]) -> Shape:
    """The shape of a step's result."""
    rows, columns = known[step.operands[0]]
    if step.name == "@":
        return rows, known[step.operands[1]][0]
    if step.name in BINARY:
        other = known[step.operands[1]]
        return max(rows, other[0]), max(columns, other[1])
    changed = {
        "transpose": (columns, rows),
        "reshape": (columns, rows),
        "flatten": (1, rows * columns),
        "row": (1, columns),
        "columns": (rows, (columns + 1) // 2),
        "twice a row": (3, columns),
        "sum rows": (1, columns),
        "mean columns": (rows, 1),
        "total": (1, 1),
        "expand": (2, 3),
    }
    return changed.get(step.name, (rows, columns))
