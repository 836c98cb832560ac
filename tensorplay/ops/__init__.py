"""Pure rules, one small class an op, grouped by family. Nothing here imports a tensor or an array library."""

from __future__ import annotations

from .base import OPS, Op, Plan
from .contraction import Linear, MatMul
from .fused import CrossEntropy, LogSoftmax, Softmax
from .indexing import AddAt, Gather, GetItem, Index, Put, Scatter
from .pointwise import (
    Abs,
    Add,
    Cast,
    Clone,
    Conj,
    Div,
    Exp,
    Log,
    Maximum,
    Minimum,
    Mul,
    Neg,
    Pow,
    Relu,
    Sigmoid,
    Sqrt,
    Sub,
    Tanh,
    Where,
)
from .reduction import Amax, Amin, ArgMax, ArgMin, Max, Mean, Min, Sum
from .shaping import Expand, Permute, Reshape, SumTo

__all__ = [
    "OPS",
    "Abs",
    "Add",
    "AddAt",
    "Amax",
    "Amin",
    "ArgMax",
    "ArgMin",
    "Cast",
    "Clone",
    "Conj",
    "CrossEntropy",
    "Div",
    "Exp",
    "Expand",
    "Gather",
    "GetItem",
    "Index",
    "Linear",
    "Log",
    "LogSoftmax",
    "MatMul",
    "Max",
    "Maximum",
    "Mean",
    "Min",
    "Minimum",
    "Mul",
    "Neg",
    "Op",
    "Permute",
    "Plan",
    "Pow",
    "Put",
    "Relu",
    "Reshape",
    "Scatter",
    "Sigmoid",
    "Softmax",
    "Sqrt",
    "Sub",
    "Sum",
    "SumTo",
    "Tanh",
    "Where",
]
