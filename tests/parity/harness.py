"""One expression in both libraries, and where they disagree."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tests.parity.operands import DTYPES, FLOATING, NAMES, dtype_of, operand

TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float32": 2e-5, "complex64": 2e-5, "float16": 4e-3}
TOLERANCE |= {"bfloat16": 3e-2}
FIRST_ORDER = ("float32", "float64", "complex64", "complex128")
SECOND_ORDER = ("float64", "complex128")
NO_KERNEL = ("not implemented for", "not supported for", "is not implemented", "unsupported dtype", "Low precision")
"""How PyTorch says that it has not written a loop for a dtype: with us that may work, or raise anything."""


class Difference(NamedTuple):
    """Where the libraries disagree: the expression, the dtype under test, and in what."""

    expression: str
    dtype: str
    aspect: str
    text: str

    def __str__(self) -> str:
        return f"{self.expression} @ {self.dtype} {self.aspect}: {self.text}"


class Report(NamedTuple):
    """What expressions have shown: differences, largest errors by (dtype, aspect), the dtypes that PyTorch takes."""

    differences: list[Difference]
    errors: dict[tuple[str, str], float]
    accepted: set[str]


# ------------------------------------------------------------------------------------------- running


@cache
def used(expression: str) -> tuple[frozenset[str], bool]:
    """The operands in an expression, and whether the dtype under test changes anything."""
    found = {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}
    names = frozenset(found & NAMES)
    return names, "dt" in found or any(dtype_of(n, "float64") != dtype_of(n, "int64") for n in names)


@cache
def compiled(expression: str) -> Any:
    return compile(expression, expression, "eval")


def kind(tensor: Any) -> tuple[Any, ...]:
    """Shape and dtype of a result whose numbers mean nothing."""
    return tuple(tensor.shape), tensor.dtype


CONSTANTS = {"np": np, "inf": math.inf, "nan": math.nan, "pi": math.pi, "kind": kind}


def places(lib: Any, expression: str, dtype: str) -> dict[str, Any]:
    """The operands of an expression."""
    return {name: operand(lib, name, dtype) for name in sorted(used(expression)[0])}


def evaluate(lib: Any, expression: str, dtype: str, operands: dict[str, Any]) -> Any:
    """The results and, if the expression edits in place, the operands afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scope = {"lib": lib, "dt": getattr(lib, dtype), **CONSTANTS, **operands}
        return eval(compiled(expression), scope)


def attempt(lib: Any, expression: str, dtype: str) -> Any:
    """The result and the operands afterwards, or the error."""
    try:
        operands = places(lib, expression, dtype)
        result = evaluate(lib, expression, dtype, operands)
        return list(flat(result)), [plain(t) for t in operands.values()]
    except Exception as error:
        return error


def flat(result: Any) -> Iterator[Any]:
    """Tensors as arrays with the name of their dtype, all else as it is; a tuple in order."""
    if isinstance(result, (tuple, list)) and not hasattr(result, "dtype"):
        yield len(result)
        for item in result:
            yield from flat(item)
    else:
        yield plain(result)


def plain(value: Any) -> Any:
    """An array and the name of its dtype for a tensor; the name for a dtype or a device; a number for a number."""
    if hasattr(value, "dtype") and hasattr(value, "requires_grad"):
        return array(value), named(value.dtype)
    return value if isinstance(value, (int, float, complex, str, np.ndarray, type(None))) else named(value)


def named(value: object) -> str:
    return str(value).rpartition(".")[2]


def array(tensor: Any) -> np.ndarray:
    """The numbers, those of bfloat16 as float32."""
    tensor = tensor.detach()
    if hasattr(tensor, "resolve_conj") and "torch" in type(tensor).__module__:
        tensor = tensor.resolve_conj().resolve_neg()
    if named(tensor.dtype) == "bfloat16":
        tensor = tensor.float()
    return np.array(tensor.numpy())


# ----------------------------------------------------------------------------------------- comparing


def base(error: BaseException) -> type:
    """The built-in class of an error."""
    return next(cls for cls in type(error).__mro__ if cls.__module__ == "builtins")


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest error relative to 1 + |number|; infinite where NaN or infinity stands at another place."""
    if ours.size == 0 or ours.dtype.kind not in "fc":
        return 0.0 if np.array_equal(ours, theirs) else math.inf
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    ours, theirs = ours.astype(wide), theirs.astype(wide)
    with np.errstate(all="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        if wide is np.complex128:  # which part of a complex number is infinite or NaN is chance
            same |= ~np.isfinite(ours) & ~np.isfinite(theirs)
        error = np.where(same, 0.0, np.abs(ours - theirs) / (1 + np.abs(theirs)))
    return float(np.max(np.where(np.isnan(error), math.inf, error)))


def unequal(ours: Any, theirs: Any) -> tuple[str, str, float]:
    """The aspect in which two plain results differ ("" for none), in words, and the error."""
    if not isinstance(theirs, tuple):
        alike = type(ours) is type(theirs) and (ours == theirs or ours != ours)
        if isinstance(theirs, (float, complex)) and type(ours) is type(theirs):
            error = distance(np.asarray(ours), np.asarray(theirs))
            return ("value", f"{ours!r}, PyTorch {theirs!r}", error) if error > 2e-5 else ("", "", error)
        if isinstance(theirs, np.ndarray):
            alike = isinstance(ours, np.ndarray) and np.array_equal(ours, theirs)
        return ("", "", 0.0) if alike else ("value", f"{ours!r}, PyTorch {theirs!r}", 0.0)
    if not isinstance(ours, tuple):
        return "value", f"{ours!r}, PyTorch a tensor", 0.0
    (x, kind_x), (y, kind_y) = ours, theirs
    if x.shape != y.shape:
        return "shape", f"{x.shape}, PyTorch {y.shape}", 0.0
    if kind_x != kind_y:
        return "dtype", f"{kind_x}, PyTorch {kind_y}", 0.0
    error = distance(x, y)
    if error > TOLERANCE.get(kind_y, 0.0):
        return "value", f"{x.tolist()}, PyTorch {y.tolist()}", error
    return "", "", error


def compare(found: tuple[str, str, list[Any], list[Any]], aspect: str, report: Report) -> None:
    """Note the first difference of two lists of plain results and the largest error."""
    expression, dtype, ours, theirs = found
    if len(ours) != len(theirs):
        report.differences.append(Difference(expression, dtype, aspect or "value", f"{len(ours)} results"))
    for x, y in zip(ours, theirs, strict=False):
        what, text, error = unequal(x, y)
        if what:
            name = what if not aspect else aspect if what == "value" else f"{aspect} {what}"
            report.differences.append(Difference(expression, dtype, name, text))
            return
        key = dtype, aspect or "value"
        report.errors[key] = max(report.errors.get(key, 0.0), error)


def compare_values(libs: Sequence[Any], expression: str, dtype: str, report: Report) -> bool:
    """Results and edited operands, or the errors. Whether both have answered."""
    ours, theirs = (attempt(lib, expression, dtype) for lib in libs)
    if isinstance(theirs, Exception):
        report.differences.extend(compare_errors(expression, dtype, ours, theirs))
        return False
    report.accepted.add(dtype)
    if isinstance(ours, Exception):
        report.differences.append(Difference(expression, dtype, "refused", describe(ours)))
        return False
    compare((expression, dtype, ours[0], theirs[0]), "", report)
    compare((expression, dtype, ours[1], theirs[1]), "operand", report)
    return True


def compare_errors(expression: str, dtype: str, ours: Any, theirs: Exception) -> Iterator[Difference]:
    """PyTorch has raised: so must we, with an error of that built-in class, unless it only lacks a loop."""
    gap = isinstance(theirs, NotImplementedError) or any(text in str(theirs) for text in NO_KERNEL)
    if not gap and not isinstance(ours, base(theirs)):
        yield Difference(expression, dtype, "error", f"{describe(ours)}, PyTorch {describe(theirs)}")


def describe(result: Any) -> str:
    if isinstance(result, Exception):
        return f"raises {type(result).__name__}: {str(result).splitlines()[0][:90] if str(result) else ''}"
    return "answers"


# ----------------------------------------------------------------------------------------- gradients


def weights(lib: Any, tensors: Sequence[Any], seed: int) -> list[Any]:
    """Fixed directions, of the shapes and dtypes of the tensors."""
    made = []
    for number, tensor in enumerate(tensors):
        shape = tuple(tensor.shape)
        line = np.cos(np.arange(math.prod(shape)) * 1.7 + seed + number).reshape(shape)
        line = line + 0.5j * np.sin(line * 3) if named(tensor.dtype).startswith("complex") else line
        made.append(lib.tensor(np.asarray(line)).to(tensor.dtype))
    return made


def tensors_in(result: Any) -> Iterator[Any]:
    """The tensors of a result that have a gradient."""
    if isinstance(result, (tuple, list)):
        for item in result:
            yield from tensors_in(item)
    elif hasattr(result, "requires_grad") and hasattr(result, "grad_fn") and result.requires_grad:
        yield result


def gradients(lib: Any, expression: str, dtype: str) -> Any:
    """First and second-order gradients along fixed directions, or the error."""
    try:
        leaves = {n: t for n, t in places(lib, expression, dtype).items() if named(t.dtype) in FLOATING}
        others = {n: t for n, t in places(lib, expression, dtype).items() if n not in leaves}
        for leaf in leaves.values():
            leaf.requires_grad_()
        given = {n: t.clone() for n, t in leaves.items()} | others
        outs = list(tensors_in(evaluate(lib, expression, dtype, given)))
        return [bool(outs)], *orders(lib, outs, list(leaves.values()), dtype in SECOND_ORDER)
    except Exception as error:
        return error


def orders(lib: Any, outs: list[Any], leaves: list[Any], second: bool) -> tuple[list[Any], list[Any] | Exception]:
    """The gradients of the leaves, zero where there is none; the second ones are an error where PyTorch has none."""
    if not outs:
        return [], []
    first = derive(lib, outs, leaves, second)
    shown = [filled(g, t) for g, t in zip(first, leaves, strict=True)]
    again = [g for g in first if g is not None and g.requires_grad]
    if not second or not again:
        return shown, [filled(None, t) for t in leaves if second]
    try:
        return shown, [filled(g, t) for g, t in zip(derive(lib, again, leaves, False), leaves, strict=True)]
    except Exception as error:
        return shown, error


def derive(lib: Any, outs: list[Any], leaves: list[Any], create: bool) -> tuple[Any, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seeds = weights(lib, outs, 1)
        return lib.autograd.grad(outs, leaves, grad_outputs=seeds, create_graph=create, allow_unused=True)


def filled(gradient: Any, leaf: Any) -> Any:
    """A gradient that is not there is zero."""
    zero = np.zeros(tuple(leaf.shape), named(leaf.dtype)), named(leaf.dtype)
    return zero if gradient is None else plain(gradient)


def compare_gradients(libs: Sequence[Any], expression: str, dtype: str, report: Report) -> None:
    ours, theirs = (gradients(lib, expression, dtype) for lib in libs)
    if isinstance(theirs, Exception):
        return  # PyTorch has no derivative there
    if isinstance(ours, Exception):
        report.differences.append(Difference(expression, dtype, "gradient", describe(ours)))
        return
    for x, y, aspect in zip(ours, theirs, ("recorded", "gradient", "second"), strict=True):
        if isinstance(y, Exception):
            continue
        if isinstance(x, Exception):
            report.differences.append(Difference(expression, dtype, aspect, describe(x)))
            continue
        compare((expression, dtype, x, y), aspect, report)


# ------------------------------------------------------------------------------------------ all of it


def run(libs: Sequence[Any], expressions: Sequence[str]) -> Report:
    """Every expression over the dtypes."""
    report = Report([], {}, set())
    for expression in expressions:
        for dtype in DTYPES if used(expression)[1] else DTYPES[:1]:
            if not hasattr(libs[0], dtype):
                continue
            both = compare_values(libs, expression, dtype, report)
            if both and dtype in FIRST_ORDER and used(expression)[0]:
                compare_gradients(libs, expression, dtype, report)
    return report


def run_invalid(libs: Sequence[Any], expressions: Sequence[str]) -> list[Difference]:
    """Every expression must raise in both libraries, errors of one built-in class."""
    report = []
    for expression in expressions:
        ours, theirs = (attempt(lib, expression, "float32") for lib in libs)
        if not isinstance(theirs, Exception):
            report.append(Difference(expression, "float32", "invalid", "PyTorch raises nothing"))
        else:
            report.extend(compare_errors(expression, "float32", ours, theirs))
    return report
