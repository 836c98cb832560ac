"""What a result without a name of its own is called: by what computes it, such as b·x + c or unbind(y)[1]."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .summary import number_text

__all__ = ["BETWEEN", "constant_text", "expression", "results", "word"]

LONGEST = 14
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# How tightly a text holds together. An operand that holds less tightly than its place asks for gets parentheses.
_SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = range(5)

BETWEEN = {
    "+": (" + ", _SUM, _QUOTIENT),
    "−": (" − ", _SUM, _QUOTIENT),
    "×": ("·", _PRODUCT, _PRODUCT),
    "÷": (" / ", _PRODUCT, _POWER),
    "@": (" @ ", _POWER, _POWER),
}
"""Signs that stand between their operands: how they are written, and what each side must be at least."""


def expression(op: Any, parts: Sequence[str], params: Mapping[str, Any] | None = None) -> str:
    """The call of an operation as mathematics; "" where something it reads has no name, or where it gets long.

    >>> from tensorplay.ops import pointwise as ops
    >>> expression(ops.Pow, ["w·k", "2"]), expression(ops.Pow, ["w·k", "2.5"]), expression(ops.Exp, ["w²"])
    ('(w·k)²', '(w·k)^2.5', 'exp(w²)')
    >>> expression(ops.Mul, ["a + b", "-3"]), expression(ops.Mul, ["a", ""])
    ('(a + b)·(-3)', '')
    """
    if not parts or not all(parts):
        return ""
    text = _written(op, parts, params or {})
    return text if len(text) <= LONGEST else ""


def constant_text(value: Any) -> str:
    """A number that stands in the program, with so many digits that it is not taken for another one.

    >>> constant_text(3), constant_text(1.0001), constant_text(None)
    ('3', '1.0001', '')
    """
    return number_text(value, 7) if isinstance(value, int | float | complex) else ""


def results(made_by: str, names: Mapping[int, str], count: int) -> tuple[str, ...]:
    """What each of several results is called: by its own name, else by its number, "" where neither is known.

    >>> results("unbind(y)", {0: "a"}, 2), results("", {1: "b"}, 2)
    (('a', 'unbind(y)[1]'), ('', 'b'))
    """
    return tuple(names.get(nr) or (f"{made_by}[{nr}]" if made_by else "") for nr in range(count))


def word(op: Any, label: str = "") -> str:
    """One plain word for an operation: its label if that is a word, else its name.

    >>> from tensorplay.ops import pointwise as ops
    >>> word(ops.Mul), word(ops.Exp), word(ops.Pow)
    ('mul', 'exp', 'pow')
    """
    name, label = (op, label) if isinstance(op, str) else (op.__name__, label or op.label)
    return label if label[:1].isalpha() and label.isascii() else name.lower()


def _written(op: Any, parts: Sequence[str], params: Mapping[str, Any]) -> str:
    name, label = op.__name__, op.label
    if name == "Permute" and tuple(params.get("dims", ())) == (1, 0):
        return f"{_held(parts[0], _ATOM)}ᵀ"
    if name == "Pow" and len(parts) == 2:
        return _power(*parts)
    if name == "Neg":
        return f"−{_held(parts[0], _PRODUCT)}"
    if label in BETWEEN and len(parts) == 2:
        sign, left, right = BETWEEN[label]
        if label == "+" and not parts[1].startswith(("-", "−")):
            right = _SUM
        return f"{_held(parts[0], left)}{sign}{_held(parts[1], right)}"
    if name == "Abs":
        return f"|{parts[0]}|"
    return f"{label}({', '.join(parts)})" if label[:1].isalpha() or label == "√" else ""


def _power(base: str, exponent: str) -> str:
    base = _held(base, _ATOM)
    if re.fullmatch(r"-?\d+(\.0)?", exponent):
        return base + exponent.removesuffix(".0").translate(_RAISED)
    return f"{base}^{_held(exponent, _ATOM)}"


def _held(text: str, least: int) -> str:
    return text if _strength(text) >= least else f"({text})"


def _strength(text: str) -> int:
    """How tightly a text holds together, judged by what stands outside its brackets."""
    if re.fullmatch(r"\d[\d.]*(e-?\d+)?", text):
        return _ATOM
    outside, before = text, ""
    while outside != before:
        before, outside = outside, re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", outside)
    if re.fullmatch(r"[\w.√⁻·]*", outside):
        if "·" in outside:
            return _PRODUCT
        return _POWER if re.search(r"[⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ]$", outside) else _ATOM
    return _QUOTIENT if re.search(r" [/@] ", outside) and not re.search(r"^[-−]| [+−] ", outside) else _SUM
