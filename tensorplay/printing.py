"""How a tensor is written down: PyTorch's layout, from an array alone.

All numbers of a tensor share one format and one width, so that columns line up: whole numbers as
`3.`, others with four decimals, and scientific notation as soon as the numbers spread over more than
three decades. Above 1000 elements only the edges of each dimension are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .arrays import dtypes

__all__ = ["PrintOptions", "format_tensor", "set_printoptions"]

Write = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What `set_printoptions` can change."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are printed; what is None stays as it is, except `sci_mode`, where None means "decide".

    `precision`: decimals. `threshold`: more elements than this are summarised. `edgeitems`: how many are
    then shown at each end. `linewidth`: where lines break. `sci_mode`: always or never scientific.

    >>> import tensorplay as tp
    >>> from tensorplay.printing import set_printoptions
    >>> set_printoptions(precision=2)
    >>> tp.tensor([0.5, 1 / 3])
    tensor([0.50, 0.33])
    >>> set_printoptions(precision=4)
    """
    global _options
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(_options, sci_mode=sci_mode, **changes)


def format_tensor(
    array: np.ndarray, *, requires_grad: bool = False, grad_fn: str | None = None, indent: str = "tensor("
) -> str:
    """The text of a tensor that holds `array`.

    `grad_fn` is the name of the node that made it (shown instead of `requires_grad`); `indent` is
    what the text begins with, and sets how far the following lines are indented.

    >>> import numpy as np
    >>> print(format_tensor(np.array([0.5, 1.0], "float32"), grad_fn="MulBackward"))
    tensor([0.5000, 1.0000], grad_fn=<MulBackward>)
    >>> print(format_tensor(np.array([[1, 2], [3, 4]])))
    tensor([[1, 2],
            [3, 4]])
    """
    values = "[]" if array.size == 0 else _values(array, len(indent))
    return _with_suffixes(indent + values, _suffixes(array, requires_grad, grad_fn), len(indent))


# ------------------------------------------------------------------------------------------ suffixes


def _suffixes(array: np.ndarray, requires_grad: bool, grad_fn: str | None) -> Iterator[str]:
    dtype = dtypes.of(array.dtype)
    default = dtypes.get_default_dtype()
    # What a reader can tell from the digits alone is not said; an empty tensor has no digits.
    told = (default, dtypes.default_complex_dtype(), dtypes.int64, dtypes.bool_) if array.size else (default,)
    if array.size == 0 and array.ndim != 1:
        yield f"size={array.shape}"
    if dtype not in told:
        yield f"dtype={dtype}"
    if grad_fn is not None:
        yield f"grad_fn=<{grad_fn}>"
    elif requires_grad:
        yield "requires_grad=True"


def _with_suffixes(text: str, suffixes: Iterator[str], indent: int) -> str:
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


# -------------------------------------------------------------------------------------------- layout


def _values(array: np.ndarray, indent: int) -> str:
    summary = array.size > _options.threshold
    shown = _edges(array) if summary else array
    if array.dtype.kind == "c":
        write, width = _complex_format(shown)
    else:
        write, width = _format_of(shown)
    return _block(array, indent, summary, write, width)


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements a summary shows: the first and last few along each dimension."""
    edge = _options.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis)
    return array


def _block(array: np.ndarray, indent: int, summary: bool, write: Write, width: int) -> str:
    """Brackets around the rows, each row one level deeper."""
    if array.ndim == 0:
        return write(array.item())
    if array.ndim == 1:
        return _row(array, indent, summary, write, width)
    head, dots, tail = _split(array, summary)
    parts = [_block(row, indent + 1, summary, write, width) for row in head]
    parts += ["..."] * dots
    parts += [_block(row, indent + 1, summary, write, width) for row in tail]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(array: np.ndarray, indent: int, summary: bool, write: Write, width: int) -> str:
    """One row of numbers, broken into lines that fit."""
    head, dots, tail = _split(array, summary)
    words = [write(v) for v in head.tolist()] + [" ..."] * dots + [write(v) for v in tail.tolist()]
    per_line = max(1, (_options.linewidth - indent) // (width + 2))
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _split(array: np.ndarray, summary: bool) -> tuple[np.ndarray, bool, np.ndarray]:
    """What comes before the dots, whether there are dots, and what comes after them."""
    edge = _options.edgeitems
    if summary and len(array) > 2 * edge:
        return array[:edge], True, array[len(array) - edge :]
    return array, False, array[:0]


# ------------------------------------------------------------------------------------- one format


def _format_of(array: np.ndarray) -> tuple[Write, int]:
    """A function that writes one number of this array, and the width of what it writes."""
    if array.dtype.kind != "f":
        width = max(len(str(v)) for v in array.ravel().tolist())
        return (lambda v: str(v).rjust(width)), width
    # Zeros, infinities and nan fit into any format: they do not take part in choosing it.
    flat = array.astype(np.float64).ravel()
    flat = flat[np.isfinite(flat) & (flat != 0)]
    whole = bool((flat == np.ceil(flat)).all())
    spec = _float_spec(np.abs(flat), whole)
    point = "." if spec == ".0f" else ""
    width = max((len(format(v, spec) + point) for v in flat.tolist()), default=1)
    return (lambda v: _float(v, spec, point).rjust(width)), width


def _float_spec(sizes: np.ndarray, whole: bool) -> str:
    """The format of numbers of these sizes: whole, fixed or scientific."""
    scientific = _options.sci_mode
    if scientific is None and sizes.size:
        low, high = float(sizes.min()), float(sizes.max())
        # Subnormal numbers can make the ratio overflow; infinity is more than 1000 too.
        spread = math.inf if low < 1e-300 else high / low
        scientific = spread > 1000.0 or high > 1e8 or (not whole and low < 1e-4)
    if scientific:
        return f".{_options.precision}e"
    return ".0f" if whole else f".{_options.precision}f"


def _float(value: float, spec: str, point: str) -> str:
    return format(value, spec) + (point if math.isfinite(value) else "")


def _complex_format(array: np.ndarray) -> tuple[Write, int]:
    real, real_width = _format_of(array.real)
    imaginary, imaginary_width = _format_of(array.imag)

    def write(value: complex) -> str:
        second = imaginary(value.imag).lstrip() + "j"
        return real(value.real) + (second if second[0] in "+-" else "+" + second)

    return write, real_width + imaginary_width + 1
