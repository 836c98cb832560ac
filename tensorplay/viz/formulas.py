"""Rules as text, with the program's names or this step's numbers in the place of their letters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .expressions import BETWEEN
from .narrate import input_names
from .summary import number_text
from .trace import Trace
from .value import Value

__all__ = ["formula_text", "letters_of", "rule_text", "short_name", "substituted", "with_numbers"]

_FUNCTIONS = {"e", "ln", "tanh", "max", "exp", "sign"}


def formula_text(latex: str) -> str:
    r"""The little LaTeX that operations use for their formulas, as plain text.

    >>> [formula_text(f) for f in (r"x \cdot y", r"\frac{1}{n}\sum x", r"e^{x}", r"\max(x, 0)")]
    ['x · y', '(1/n) Σ x', 'e^x', 'max(x, 0)']
    """
    text = re.sub(r"\\(mathrm|operatorname|bar)\{([^{}]*)\}", r"\2", latex)
    text = re.sub(r"\^\{\\top\}", "ᵀ", text)
    text = re.sub(r"(?<=\w)\\,(?=\w)", " · ", text)
    text = re.sub(r"\\sqrt\{([^{}]*|[^{}]*(?:\{[^{}]*\}[^{}]*)+)\}", _root, text)
    text = re.sub(r"(?<=[\w}])\)_\{([^{}]*)\}", r")[\1]", text)
    text = re.sub(r"([\^_])\{([^{}]*)\}", lambda m: m[1] + (m[2] if len(m[2]) == 1 else f"({m[2]})"), text)
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _fraction, text)
    for old, new in ((r"\cdot", "·"), (r"\sum", "Σ "), (r"\sigma", "σ"), (r"\,", " ")):
        text = text.replace(old, new)
    text = text.replace("Σ _", "Σ_")
    return re.sub(r" +", " ", text.replace("\\", "").replace(" - ", " − ").replace("-ln", "−ln")).strip()


def _root(match: re.Match[str]) -> str:
    inside = match[1]
    return f"√{inside}" if re.fullmatch(r"\w+", inside) else f"√({inside})"


def _fraction(match: re.Match[str]) -> str:
    top, bottom = (part if len(part) == 1 else f"({part})" for part in match.groups())
    return f"({top}/{bottom}) " if top == "1" and len(bottom) == 1 else f"{top}/{bottom}"


def rule_text(label: str, formula: str, inputs: Sequence[str]) -> str:
    """A sign between two inputs is clearer than its LaTeX."""
    if label in BETWEEN and len(inputs) == 2:
        return f"{inputs[0]} {'·' if label == '×' else label} {inputs[1]}"
    return formula_text(formula) if formula else f"{label}({', '.join(inputs)})"


def short_name(trace: Trace, node: str, nr: int | None = None) -> str:
    """A name that can stand in a formula, of what a box made, or of its result number `nr`."""
    box = trace.graph[node]
    name = box.detail if box.is_op else box.label
    if box.outputs and nr is not None:
        name = box.outputs[nr] or f"{node}[{nr}]"
    return name if re.fullmatch(r"[A-Za-z0-9_.]{1,18}", name) else f"({name})" if 0 < len(name) <= 14 else node


def letters_of(trace: Trace, node: str, values: Sequence[Value | None]) -> dict[str, str]:
    """What the letters of a rule stand for in this program."""
    rule = trace.rules[trace.graph[node].op]
    sources = {edge.slot: short_name(trace, edge.source, edge.output) for edge in trace.graph.into(node)}
    names = input_names(trace, node, values)
    letters = {name: sources.get(i, names[i]) for i, name in enumerate(rule.inputs) if i < len(names)}
    return letters | {"out": short_name(trace, node)}


def substituted(text: str, names: Mapping[str, str]) -> str:
    """A rule's text with the program's names; one pass, so that names never replace each other."""
    filled = re.sub(r"[A-Za-z_]\w*", lambda m: names.get(m[0], m[0]), _spaced(text))
    return filled.replace(" ᵀ", "ᵀ")


def _spaced(text: str) -> str:
    """xʸ reads as one word but holds two letters."""
    return text.replace("xʸ⁻¹", "x^(y − 1)").replace("xʸ", "x^y").replace("ᵀ", " ᵀ")


def with_numbers(
    text: str, inputs: Sequence[str], values: Sequence[Value | None], more: Mapping[str, Any] | None = None
) -> str:
    """The text with numbers for letters, if every letter stands for a single number; else nothing."""
    known = {name: values[i] for i, name in enumerate(inputs) if i < len(values)} | dict(more or {})
    letters = set(re.findall(r"[A-Za-z_]\w*", _spaced(text))) - _FUNCTIONS
    if not letters or "," in text or not all(_single(known.get(letter)) for letter in letters):
        return ""
    if letters == {"g"} and text.strip() == "g":
        return ""
    shown = {letter: _signed(known[letter].head[0]) for letter in letters}
    return substituted(text, shown)


def _single(value: Any) -> bool:
    return isinstance(value, Value) and value.size == 1 and bool(value.head)


def _signed(number: Any) -> str:
    text = number_text(number)
    return f"({text})" if text.startswith("-") else text
