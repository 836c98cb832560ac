"""Signatures: ours by `inspect`, PyTorch's from the stub files it ships, its Python functions, its docstrings.

PyTorch's overloads are alternatives of which ours must take every one: the same names in the same order, the same
kinds, and the same default wherever an overload has one. What an overload must have and another lacks has a default
with us. A sequence of sizes may be `*size` with us.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.parity.listed import find

OF_NO_USE = frozenset(
    {"out", "layout", "pin_memory", "memory_format", "non_blocking", "pin_memory_device"}
)  # of memory
OF_NO_USE |= {"names", "sparse_grad", "implicit", "profile", "_stacklevel", "size_average", "reduce"}  # old, or inside
OF_NO_USE |= {"foreach", "fused", "capturable", "differentiable"}  # ways to run faster that change no result
"""Arguments of PyTorch that are dropped wherever they stand, unless we have them too."""


class Argument(NamedTuple):
    """A parameter: its name, its kind (`positional`, `keyword`, `*`) and its default as text, empty for none."""

    name: str
    kind: str
    default: str


Signature = tuple[Argument, ...]


def shown(signature: Signature) -> str:
    star = {"positional": "", "keyword": "", "*": "*"}
    parts = [f"{star[a.kind]}{a.name}{f'={a.default}' if a.default else ''}" for a in signature]
    first = next((n for n, a in enumerate(signature) if a.kind == "keyword"), None)
    if first is not None and not any(a.kind == "*" for a in signature):
        parts.insert(first, "*")
    return f"({', '.join(parts)})"


# ------------------------------------------------------------------------------------------- of stubs


def _of_arguments(arguments: ast.arguments) -> Signature:
    plain = [*arguments.posonlyargs, *arguments.args]
    absent: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    found = [_argument(a, "positional", d) for a, d in zip(plain, absent + list(arguments.defaults), strict=True)]
    if arguments.vararg:
        found.append(Argument(arguments.vararg.arg, "*", ""))
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return tuple(found + [_argument(a, "keyword", d) for a, d in named])


def _argument(argument: ast.arg, kind: str, default: ast.expr | None) -> Argument:
    return Argument(argument.arg, kind, "" if default is None else plain(ast.unparse(default)))


def plain(default: str) -> str:
    """A default as text, the same however it is written."""
    text = default.removeprefix("torch.").strip("\"'").replace("float('inf')", "inf").replace("_int", "int")
    text = text.rpartition(".")[2] if re.fullmatch(r"[a-z_]+(\.[a-z_0-9]+)+", text) else text
    return f"{float(text):g}" if re.fullmatch(r"-?\d+\.?\d*(e-?\d+)?", text) else text.replace(" ", "")


Stubs = dict[str, list[Signature]]


@cache
def stubs() -> tuple[Stubs, Stubs, Stubs]:
    """Functions, methods of Tensor, functions of nn.functional: name → overloads."""
    import torch

    root = Path(torch.__file__).parent
    functions = _parsed(root / "_C" / "_VariableFunctions.pyi").body
    of_c = _parsed(root / "_C" / "__init__.pyi").body
    tensor = next(node for node in of_c if isinstance(node, ast.ClassDef) and node.name == "TensorBase")
    return _collect(functions), _collect(tensor.body), _collect(_parsed(root / "nn" / "functional.pyi").body)


def _parsed(path: Path) -> ast.Module:
    text = re.sub(r'r?"""(?:.|\n)*?"""', "...", path.read_text(encoding="utf-8"))  # docstrings take half of the time
    return ast.parse(text)


def _collect(body: list[ast.stmt]) -> Stubs:
    found: Stubs = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(_of_arguments(node.args))
    return found


# --------------------------------------------------------------------------------------- of libraries


def of_object(thing: Any) -> Signature:
    """The signature of a Python function."""
    kinds: dict[Any, str] = {inspect.Parameter.KEYWORD_ONLY: "keyword", inspect.Parameter.VAR_POSITIONAL: "*"}
    found = []
    for p in inspect.signature(thing).parameters.values():
        if p.kind is not p.VAR_KEYWORD:
            default = "" if p.default is p.empty else plain(str(p.default))
            found.append(Argument(p.name, kinds.get(p.kind, "positional"), default))
    return tuple(found)


def of_text(text: str) -> Signature:
    """The signature written in parentheses."""
    function: Any = ast.parse(f"def f{text}: ...").body[0]
    return _of_arguments(function.args)


def of_docstring(thing: Any) -> list[Signature]:
    """What the first lines of a docstring tell; functions of `linalg` have no stub."""
    for line in (thing.__doc__ or "").strip().splitlines()[:1]:
        match = re.match(r"[\w.]+(\(.*?\))\s*(?:->.*)?$", line)
        if match:
            return [of_text(match[1])]
    return []


def theirs(path: str) -> list[Signature]:
    """PyTorch's overloads, without what is of no use here; none if it tells nothing."""
    import torch

    place, _, name = path.rpartition(".")
    table = {"": 0, "Tensor": 1, "nn.functional": 2}.get(place)
    thing = find(torch, path)
    found = list(stubs()[table].get(name, ())) if table is not None else []
    if not found or inspect.isfunction(thing):
        found = _looked_up(thing)
    useful = [tuple(map(_renamed, _useful(path, signature))) for signature in found if not _old(signature)]
    return list(dict.fromkeys(signature[1:] if place == "Tensor" else signature for signature in useful))


def _useful(path: str, signature: Signature) -> Signature:
    mine = {argument.name for argument in of_ours(path)}
    return tuple(a for a in signature if a.name not in OF_NO_USE or a.name in mine)


def _renamed(argument: Argument) -> Argument:
    """The stubs call an input that may be a number `self`."""
    return argument._replace(name="input") if argument.name == "self" else argument


def _looked_up(thing: Any) -> list[Signature]:
    try:
        return [of_object(thing)]
    except (ValueError, TypeError):
        return of_docstring(thing)


def _old(signature: Signature) -> bool:
    """Named dims, and the old order in which the factors stand before the tensors."""
    names = any(a.name == "names" and not a.default for a in signature)
    return names or any(a.name in ("alpha", "beta") and a.kind == "positional" and not a.default for a in signature)


def of_ours(path: str) -> Signature:
    import tensorplay

    try:
        return of_object(find(tensorplay, path))
    except (ValueError, TypeError):
        return ()


def ours(path: str) -> Signature:
    return of_ours(path)[1:] if path.startswith("Tensor.") else of_ours(path)


# ----------------------------------------------------------------------------------------- comparing


def takes(mine: Signature, overload: Signature) -> bool:
    """Whether ours takes every call that an overload takes, and means the same by it."""
    ordered = [a for a in mine if a.kind != "keyword"]
    named = {a.name: a for a in mine}
    for place, argument in enumerate(overload):
        if argument.kind == "keyword":
            found = named.get(argument.name)
        else:
            found = ordered[place] if place < len(ordered) else None
        if found is None or not _same(found, argument):
            return False
    given = {a.name for a in overload}
    return all(a.default or a.kind == "*" for a in mine if a.name not in given)


def _same(mine: Argument, argument: Argument) -> bool:
    if mine.kind == "*":
        return argument.kind == "*" or not argument.default
    if mine.name != argument.name:
        return False
    return mine.default == argument.default if argument.default else True


def difference(path: str) -> str:
    """How the signatures differ, in words; empty if they do not, or if PyTorch tells none."""
    overloads, mine = theirs(path), ours(path)
    refused = [o for o in overloads if not takes(mine, o)]
    if refused:
        return f"{shown(mine)}, PyTorch {' and '.join(map(shown, refused))}"
    known = {a.name for o in overloads for a in o}
    extra = [a.name for a in mine if a.name not in known and a.kind != "*"] if overloads else []
    return f"{shown(mine)}: PyTorch has no {', '.join(extra)}" if extra else ""
