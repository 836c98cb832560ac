"""What is not compared: steps at which the libraries differ, and after which they could not go on alike.

Each row says what either side does and shows it in a program, which ends with the step that is not taken. Programs
keep away from such steps, also while they are shortened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .situations import (
    adds_to_recorded,
    derived_again_at_an_edited_view,
    edit_of_a_hooked_view,
    freed_input_with_hooks,
    hooked_input_among_others,
    hooked_leaf_off,
    leaf_and_inner_in_a_multi_hook,
    leaf_of_a_multi_hook,
    no_words_for,
    node_of_input,
    part_in_a_multi_hook,
    product_of_one,
    recorded_overlap,
    root_of_a_multi_hook,
    spoils_parts,
    unvisited_part,
    unvisited_root,
    viewed_constant_on,
    viewed_result_off,
)
from .steps import Step, asked, backward, leaf, op

__all__ = ["BOUNDS", "Bound", "out_of_bounds"]


@dataclass(frozen=True)
class Bound:
    """One row of the table."""

    row: str
    says: str
    applies: Callable[[Any, Step], bool]
    """Whether a step may not be taken now."""
    program: tuple[Step, ...]
    """It ends with such a step."""
    reads: str
    ours: str
    theirs: str
    then: str = ""
    """A line after it, if it takes one to see the difference."""


def out_of_bounds(both: Any, step: Step) -> bool:
    """Whether a step may not be taken now."""
    return any(bound.applies(both, step) for bound in BOUNDS) or no_words_for(both, step)


# ---------------------------------------------------------------------------------------------- the rows


def _hook(name: str, code: str) -> Step:
    return Step("tensor hook", code, f"h0 = {name}.register_hook({code}('h0'))", (), (name,))


def _multi_hook(names: str, note: str, mode: str = "all") -> Step:
    code = f"h0 = lib.autograd.graph.register_multi_grad_hook([{names}], lambda g: seen.append({note}), mode='{mode}')"
    return Step("multi hook", mode, code, (), tuple(names.split(", ")))


def _grad(made: str, root: str, inputs: str, more: str = "") -> Step:
    code = f"{made}, = lib.autograd.grad({root}, [{inputs}]{more})"
    names = tuple(inputs.split(", "))
    request = asked((root,), names, more, writes=False)
    return Step("grad", f"grad({more})", code, tuple(made.split(", ")), (root, *names), request)


def _inputs(root: str, names: str) -> Step:
    code = f"{root}.backward(inputs=[{names}])"
    return Step("backward", "backward(inputs=)", code, (), (root, names), asked((root,), (names,), ""))


def _view(made: str, code: str, of: str) -> Step:
    return Step("view", "getitem", f"{made} = {code}", (made,), (of,))


def _edit(name: str, code: str, *reads: str) -> Step:
    return Step("in-place", name, code, (), reads)


_PARTS = Step("parts", "unbind", "v1, v2, = v0.unbind(0)", ("v1", "v2"), ("v0",))
_NO_MORE = "a pass runs no more than it was asked for"

BOUNDS: list[Bound] = [
    Bound(
        "outputs of split, of edited memory",
        "after an edit of the memory that an output of split, chunk or unbind shows, every use of it raises, in either "
        "library: nothing is left to compare",
        spoils_parts,
        (
            leaf("v0", "[3., 4.]"),
            op("v1", "v0 * 1", "v0"),
            Step("parts", "unbind", "v2, v3, = v1.unbind(0)", ("v2", "v3"), ("v1",)),
            _edit("mul_ number", "v1.mul_(2)", "v1"),
        ),
        then="v2 * 1",
        reads="v2.item()",
        ours="InPlaceError",
        theirs="RuntimeError",
    ),
    Bound(
        "22: the hooks of a root",
        f"{_NO_MORE}: a root with nothing behind it that was asked for is not reached, so its hooks are silent and its "
        "retained gradient stays; PyTorch serves both",
        unvisited_root,
        (leaf("v0"), leaf("v1"), op("v2", "v0 * 2", "v0"), _hook("v2", "look"), _inputs("v2", "v1")),
        reads="len(seen)",
        ours="0",
        theirs="1",
    ),
    Bound(
        "22: the hooks of the other outputs",
        f"{_NO_MORE}: when one output of a node is asked for, the hooks of the others are silent; PyTorch calls them, "
        "with None where nothing arrived",
        unvisited_part,
        (
            leaf("v0", "[3., 4.]"),
            _PARTS,
            Step("tensor hook", "look", "h0 = v2.register_hook(lambda g: seen.append(g))", (), ("v2",)),
            _grad("v3", "v1", "v2", ", allow_unused=True"),
        ),
        reads="seen",
        ours="[]",
        theirs="[None]",
    ),
    Bound(
        "23: the node of an input",
        "the node that made a tensor named in backward(inputs=) does not run here; PyTorch runs it, with its hooks, "
        "and raises if what it saved was freed or edited",
        node_of_input,
        (
            leaf("v0"),
            op("v1", "v0 * v0", "v0"),
            op("v2", "v1 * 2", "v1"),
            backward("v1", code="v1.backward()"),
            _inputs("v2", "v1"),
        ),
        reads="v1.grad.item()",
        ours="2.0",
        theirs="RuntimeError",
    ),
    Bound(
        "B2.1: a recorded gradient of an inner tensor",
        "a pass that records nothing adds to `.grad` in place; PyTorch does so for leaves only, and makes a new tensor "
        "where an inner one keeps its gradient: seen where the first is recorded, so has a history of its own",
        adds_to_recorded,
        (
            leaf("v0"),
            op("v1", "v0 * v0", "v0"),
            Step("flag", "retain_grad", "v1.retain_grad()", (), ("v1",)),
            op("v2", "v1 * v1", "v1"),
            backward("v2", code="v2.backward(create_graph=True)"),
            Step("gradient", "taken", "v3 = v1.grad", ("v3",), ("v1",)),
            backward("v2", code="v2.backward(retain_graph=True)"),
        ),
        reads="v3.item()",
        ours="36.0",
        theirs="18.0",
    ),
    Bound(
        "B4.4: hooks of an input, among others",
        "autograd.grad gives what the hooks of an inner input have left; so does PyTorch if it is the only input, and "
        "what arrived before them if there are others",
        hooked_input_among_others,
        (leaf("v0"), op("v1", "v0 * 1", "v0"), _hook("v1", "scale"), _grad("v2, v3", "v1", "v1, v0")),
        reads="v2.item(), v3.item()",
        ours="(2.0, 2.0)",
        theirs="(1.0, 2.0)",
    ),
    Bound(
        "hooks of a freed node",
        "a freed node lets go of its hooks, for one that holds its tensor is a cycle; PyTorch keeps them, and calls "
        "them if a gradient is asked for there",
        freed_input_with_hooks,
        (
            leaf("v0"),
            op("v1", "v0 * v0", "v0"),
            _hook("v1", "scale"),
            backward("v1", code="v1.backward()"),
            op("v2", "v1 * 2", "v1"),
            _grad("v3", "v2", "v1"),
        ),
        reads="v3.item()",
        ours="2.0",
        theirs="4.0",
    ),
    Bound(
        "B4.8: a root",
        "a hook of several tensors is called once, with all that arrived; PyTorch does not wait after a root, and "
        "calls it again for what comes later",
        root_of_a_multi_hook,
        (leaf("v0"), op("v1", "v0 * 2", "v0"), _multi_hook("v1, v0", "len(g)"), backward("v1", code="v1.backward()")),
        reads="seen",
        ours="[2]",
        theirs="[2, 2]",
    ),
    Bound(
        "B4.8: a leaf, in autograd.grad",
        "a hook of several tensors may listen to a leaf, whichever way it is differentiated; PyTorch refuses "
        "autograd.grad",
        leaf_of_a_multi_hook,
        (leaf("v0"), op("v1", "v0 * 2", "v0"), _multi_hook("v0", "len(g)"), _grad("v2", "v1", "v0")),
        reads="seen, v2.item()",
        ours="([1], 2.0)",
        theirs="RuntimeError",
    ),
    Bound(
        "B4.8: a leaf or an inner tensor",
        "the hooks of leaves come last, when their sums are complete, so an inner tensor is the first to be heard of; "
        "in PyTorch it may be the leaf",
        leaf_and_inner_in_a_multi_hook,
        (leaf("v0"), leaf("v1", "[5.]"), op("v2", "v0 * 1", "v0"), _multi_hook("v2, v1", "g.item()", "any")),
        then="(v2 * v1).backward()",
        reads="seen",
        ours="[5.0]",
        theirs="[3.0]",
    ),
    Bound(
        "B4.8: one output of several",
        "the first gradient to arrive is one that arrives; PyTorch counts the None of an output that nothing used",
        part_in_a_multi_hook,
        (leaf("v0", "[3., 4.]"), _PARTS, _multi_hook("v1", "g is None", "any")),
        then="(v2 * 1).backward()",
        reads="seen",
        ours="[]",
        theirs="[True]",
    ),
    Bound(
        "B3.13: hooks of an edited view",
        "hooks stay with the old value, through which the gradient of the edit goes on; in PyTorch's graph the old "
        "value of a view has no place, and its hooks are never called",
        edit_of_a_hooked_view,
        (
            leaf("v0", "[3., 4.]"),
            op("v1", "v0 * 1", "v0"),
            _view("v2", "v1[0]", "v1"),
            _hook("v2", "look"),
            _edit("mul_ number", "v2.mul_(3)", "v2"),
        ),
        then="v1.sum().backward()",
        reads="len(seen)",
        ours="1",
        theirs="0",
    ),
    Bound(
        "overlap, recorded",
        "an edit by a tensor that shows part of the same memory computes the right numbers, and if its backward needs "
        "what it overwrote, that raises; PyTorch refuses the edit",
        recorded_overlap,
        (
            leaf("v0", "[1., 2., 3.]"),
            op("v1", "v0 * 1", "v0"),
            _view("v2", "v1[:2]", "v1"),
            _view("v3", "v1[1:]", "v1"),
            _edit("mul_", "v3.mul_(v2)", "v3", "v2"),
        ),
        reads="v1.tolist()",
        ours="[1.0, 2.0, 6.0]",
        theirs="RuntimeError",
    ),
    Bound(
        "derived by an edited view",
        "a result that an edit of a view saved is, under create_graph, the result before it was put into the base, and "
        "in PyTorch the view: derivatives by leaves agree, one by the view itself or its base is here not found",
        derived_again_at_an_edited_view,
        (
            leaf("v0", "[1., 2.]"),
            op("v1", "v0 * 1", "v0"),
            _view("v2", "v1[0]", "v1"),
            _edit("exp_", "v2.exp_()", "v2"),
            _grad("v3", "v1", "v0", ", lib.ones_like(v1), create_graph=True"),
            op("v4", "v3.sum()", "v3"),
            _grad("v5", "v4", "v2", ", allow_unused=True"),
        ),
        reads="v5 is None",
        ours="True",
        theirs="False",
    ),
    Bound(
        "the product of a single number",
        "under create_graph the derivative of a product is recorded; that of a 0-d tensor or a single 0 is a constant "
        "in PyTorch, though not that of another single number along a dimension",
        product_of_one,
        (leaf("v0", "[0.]"), op("v1", "v0.prod()", "v0", name="prod")),
        then="v2, = lib.autograd.grad(v1, [v0], create_graph=True)",
        reads="v2.requires_grad",
        ours="True",
        theirs="False",
    ),
    Bound(
        "hooks of a leaf that is off",
        "a leaf that no longer requires a gradient takes part in no pass; PyTorch adds nothing either, but still calls "
        "its hooks",
        hooked_leaf_off,
        (
            leaf("v0"),
            op("v1", "v0 * 2", "v0"),
            _hook("v0", "look"),
            Step("flag", "requires_grad_(False)", "v0.requires_grad_(False)", (), ("v0",)),
        ),
        then="v1.backward()",
        reads="len(seen)",
        ours="0",
        theirs="1",
    ),
    Bound(
        "views of a constant that becomes a leaf",
        "a view of a constant stays one; in PyTorch it then says that it requires a gradient, which never reaches the "
        "leaf",
        viewed_constant_on,
        (
            leaf("v0", "[1., 2.]", needs=False),
            _view("v1", "v0[0]", "v0"),
            Step("flag", "requires_grad_(True)", "v0.requires_grad_(True)", (), ("v0",)),
        ),
        then="(v1 * 2).backward()",
        reads="v0.grad",
        ours="NoGradRootError",
        theirs="None",
    ),
    Bound(
        "views of a result that was cut off",
        "after detach_() and an edit of the memory, a view is a constant like what it shows; in PyTorch it says that "
        "it requires a gradient, which reaches no leaf",
        viewed_result_off,
        (
            leaf("v0", "[1., 2.]"),
            op("v1", "v0 * 2", "v0"),
            _view("v2", "v1[0]", "v1"),
            Step("detach", "detach_", "v1.detach_()", (), ("v1",)),
        ),
        then="v1.mul_(2); (v2 * 1).backward()",
        reads="v0.grad",
        ours="NoGradRootError",
        theirs="None",
    ),
]
"""No step is taken to which one of these applies."""
