"""What is freed, told from PyTorch's graph: which nodes a freeing pass has visited, and for which request.

PyTorch itself cannot say: there a node that saved nothing can be walked again. By our rule freed is a state
of the graph. Nothing here asks our engine, so a flag that it sets wrongly shows as a disagreement.
"""

from __future__ import annotations

from typing import Any

from .steps import Request
from .world import World

__all__ = ["Freed", "key_of", "leads_nowhere", "visited"]

Key = frozenset[Any] | None


class Freed:
    """The nodes of one program in PyTorch that are freed by our rule."""

    def __init__(self) -> None:
        self.by: dict[Any, Key] = {}
        """Node to the request of the pass that freed it. Keeping a node keeps its identity."""

    def mark(self, visited: list[Any], key: Key) -> None:
        """A freeing pass with this request has visited these nodes."""
        for node in visited:
            self.by.setdefault(node, key)

    def silent(self, world: World, request: Request) -> bool:
        """Whether the pass repeats one that was served: every root freed, by the same request."""
        nodes = [world[name].grad_fn for name in request.roots if world[name].requires_grad]
        key = key_of(world, request)
        return bool(nodes) and request.writes and all(n in self.by and self.by[n] == key for n in nodes)

    def refused(self, world: World, request: Request) -> bool:
        """Whether the pass would run a freed node, or asks freed roots for something else than the first time."""
        roots = [world[name].grad_fn for name in request.roots if world[name].requires_grad]
        other_request = request.writes and bool(roots) and all(node in self.by for node in roots)
        return other_request or any(node in self.by for node in visited(world, request))


def key_of(world: World, request: Request) -> Key:
    """What was asked for, None for everything."""
    return None if request.inputs is None else frozenset(_goal(world[name]) for name in request.inputs)


def visited(world: World, request: Request) -> list[Any]:
    """The nodes that this pass runs: those behind its roots, on a path to what was asked for."""
    goals = None if request.inputs is None else {_node(goal) for goal in key_of(world, request) or ()}
    found = _behind([world[name].grad_fn for name in request.roots])
    runs: set[Any] = set()
    for node in reversed(found):  # inputs before outputs
        nexts = [n for n, _ in node.next_functions if n is not None]
        if goals is None or any(n in runs or _mark(n) in goals for n in nexts):
            runs.add(node)
    return [node for node in found if node in runs and not hasattr(node, "variable")]


def leads_nowhere(world: World, request: Request) -> bool:
    """Whether nothing that was asked for is behind some root."""
    goals = {_node(goal) for goal in key_of(world, request) or ()}
    behind = ({_mark(n) for n in _behind([world[name].grad_fn])} for name in request.roots)
    return any(not goals & nodes for nodes in behind)


def _behind(roots: list[Any]) -> list[Any]:
    """All nodes behind the roots, each after those that lead to it."""
    order: list[Any] = []
    done: set[Any] = set()
    stack = [(root, False) for root in roots if root is not None]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack.extend((n, False) for n, _ in node.next_functions if n is not None)
    return order[::-1]


def _goal(tensor: Any) -> Any:
    return (tensor.grad_fn, tensor.output_nr) if tensor.grad_fn is not None else id(tensor)


def _node(goal: Any) -> Any:
    return goal[0] if isinstance(goal, tuple) else goal


def _mark(node: Any) -> Any:
    return id(node.variable) if hasattr(node, "variable") else node
