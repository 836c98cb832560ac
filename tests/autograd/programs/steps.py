"""The language of random programs: a step is a line of Python for any library called `lib`.

A program is a list of steps; written one below the other they are a script that can be pasted, with
`import tensorplay as lib` or `import torch as lib` in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "HELPERS", "IN_PLACE_HOOK", "SAME_HOOK", "Request", "Step", "asked", "backward", "called", "filled", "leaf", "op",
    "script", "silenced",
]  # fmt: skip


@dataclass(frozen=True)
class Request:
    """What a backward pass was asked for; variables by name."""

    roots: tuple[str, ...]
    inputs: tuple[str, ...] | None = None
    frees: bool = True
    writes: bool = True
    """Whether `.grad` is written: yes for backward, no for autograd.grad."""


@dataclass(frozen=True)
class Step:
    """One line: its kind and name (for the count of what was covered), the code, and the variables in it."""

    kind: str
    name: str
    code: str
    makes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    request: Request | None = None
    otherwise: str = ""
    """The same in PyTorch's terms, where a decision of ours makes the code mean something else there."""


HELPERS = """\
seen = []  # what the hooks were given: name, requires_grad, value


def note(name, *grads):
    seen.extend((name, g.requires_grad, g.detach().clone()) for g in grads if g is not None)


def look(name):
    def hook(grad):
        note(name, grad)

    return hook


def scale(name):
    def hook(grad):
        note(name, grad)
        return None if grad is None else grad * 2  # PyTorch tells an unused output of several so

    return hook


def after(name):
    def hook(leaf):
        note(name, leaf.grad)

    return hook


def together(name):
    def hook(grads):
        note(name, *(grads if isinstance(grads, (list, tuple)) else [grads]))

    return hook


def node_look(name):
    def hook(grads_in, grads_out):
        note(name, *grads_out)

    return hook


def node_scale(name):
    def hook(grads_in, grads_out):
        note(name, *grads_out)
        return tuple(None if g is None else g * 2 for g in grads_in)

    return hook


def pre_look(name):
    def hook(grads_out):
        note(name, *grads_out)

    return hook


def pre_scale(name):
    def hook(grads_out):
        note(name, *grads_out)
        return tuple(None if g is None else g * 2 for g in grads_out)

    return hook
"""
"""What the hooks of a program are made of, in front of every program."""

IN_PLACE_HOOK = """

def edit(name):
    def hook(grad):
        note(name, grad)
        grad.mul_(3)

    return hook
"""
"""Ours: the edit counts, and reaches no other branch."""

SAME_HOOK = """

def edit(name):
    def hook(grad):
        note(name, grad)
        return None if grad is None else grad * 3

    return hook
"""
"""How that is said in PyTorch, where the edit may reach other branches."""


def asked(roots: tuple[str, ...], inputs: tuple[str, ...] | None, flags: str, writes: bool = True) -> Request:
    """The request of a pass from the flags in its code."""
    keeps = "retain_graph=True" in flags or ("create_graph=True" in flags and "retain_graph=False" not in flags)
    return Request(roots, inputs, not keeps, writes)


def leaf(name: str, numbers: str = "[3.]", needs: bool = True) -> Step:
    """The step that makes a leaf, or a constant."""
    flag = ", requires_grad=True" if needs else ""
    return Step("leaf", "leaf", f"{name} = lib.tensor({numbers}, dtype=lib.float64{flag})", (name,))


def op(made: str, code: str, *reads: str, name: str = "op") -> Step:
    """The step that makes a variable from others."""
    return Step("op", name, f"{made} = {code}", (made,), reads)


def backward(*roots: str, code: str, otherwise: str = "") -> Step:
    """A pass from some roots, for all leaves."""
    return Step("backward", "backward", code, (), roots, asked(roots, None, code), otherwise)


def script(steps: list[Step], attentive: bool) -> str:
    """The program as Python, to be pasted after the import of a library as `lib`."""
    code = "\n".join(step.code for step in steps)
    head = ["# import tensorplay as lib        or: import torch as lib"]
    if attentive:
        head.append(
            "# each flag of each variable was read after every step: requires_grad, is_leaf, grad_fn, retains_grad"
        )
    return "\n".join([*head, *_helpers(code), code])


def _helpers(code: str) -> list[str]:
    """Those of the helpers that a program uses."""
    first, *others = (HELPERS + IN_PLACE_HOOK).split("\n\n\n")
    used = [text for text in others if f"({text[4 : text.index('(')]}(" in code.replace(" ", "")]
    return [first, others[0], *used] if used else []


def filled(form: str, operands: Sequence[str]) -> str:
    """A form with its variables."""
    return form.format(**dict(zip("xy", operands, strict=False)))


def silenced(code: str, quiet: bool) -> str:
    """A line under `no_grad`."""
    return f"with lib.no_grad(): {code}" if quiet else code


def called(roots: list[tuple[str, str]], more: str) -> str:
    """The call of backward for these roots and vectors."""
    if len(roots) == 1:
        vector = "" if roots[0][1] == "None" else roots[0][1]
        return f"{roots[0][0]}.backward({', '.join(filter(None, [vector, more]))})"
    names, vectors = ", ".join(r for r, _ in roots), ", ".join(v for _, v in roots)
    return f"lib.autograd.backward([{names}], [{vectors}]{', ' * bool(more)}{more})"
