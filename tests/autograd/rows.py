"""The rows of behaviour that the autograd tests hold as data, and how a row is run, here or in PyTorch.

A step is a statement, or a pair: code and its answer. The answer is the `repr` of an expression, or
`raises Class: opening phrase`, or `warns Class: opening phrase`. A class is a built-in, or one of `tensorplay.errors`.
"""

from __future__ import annotations

import builtins
import contextlib
import re
import warnings
from typing import Any, NamedTuple

import pytest

import tensorplay as tp


class Row(NamedTuple):
    """One statement: its number, what it says, its steps in order, and the warning that one of them gives.

    `differs` says in a few words what PyTorch does instead; where it is empty, PyTorch gives the very same answers.
    """

    number: int | str
    says: str
    warns: str = ""
    steps: tuple[str | tuple[str, str], ...] = ()
    differs: str = ""


def identifier(row: Row) -> str:
    return f"{row.number} {row.says}"


def run(row: Row, lib: Any = tp) -> None:
    """Run the steps in one namespace that calls the library `tp`; raises AssertionError or `pytest.fail.Exception`."""
    names: dict[str, Any] = {"tp": lib}
    expected = pytest.warns(_class(row.warns, lib)) if row.warns else contextlib.nullcontext()
    with expected:
        for step in row.steps:
            if isinstance(step, str):
                exec(step, names)
            else:
                _check(*step, names)


def _check(code: str, answer: str, names: dict[str, Any]) -> None:
    how, _, rest = answer.partition(" ")
    lib = names["tp"]
    if how not in ("raises", "warns"):
        found = _alike(repr(eval(code, names)), lib)
        assert found == (answer if lib is tp else answer.replace("tensorplay.", "torch.")), code
        return
    name, phrase = rest.split(": ", 1)
    kind = _class(name, lib)
    if how == "warns":
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(code, names)
        assert [w.category for w in caught if issubclass(w.category, kind)], f"{code} gave no {name}"
        assert any(_alike(str(w.message), lib).startswith(phrase) for w in caught), code
    else:
        with pytest.raises(kind) as raised, warnings.catch_warnings():
            warnings.simplefilter("error" if lib is tp else "ignore")
            exec(code, names)
        assert _alike(str(raised.value), lib).startswith(phrase), code


def _class(name: str, lib: Any) -> Any:
    """The exception or warning of that name; for PyTorch the built-in one behind ours."""
    kind = getattr(tp.errors, name, None) or getattr(builtins, name)
    if lib is tp:
        return kind
    return next(base for base in kind.__mro__ if base.__module__ == "builtins")


def _alike(text: str, lib: Any) -> str:
    """PyTorch's words in our spelling: node names end in no number."""
    return text if lib is tp else re.sub(r"Backward\d+\b", "Backward", text)
