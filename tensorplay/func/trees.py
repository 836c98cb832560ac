"""Nested tuples, lists and dicts of tensors, taken apart into a flat list and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Tree", "flatten", "prefixed", "tree_map"]


@dataclass(frozen=True, slots=True)
class Tree:
    """The shape of a nest: which containers hold how many things. A leaf has no kind."""

    kind: Any = None
    keys: tuple[Any, ...] = ()
    branches: tuple[Tree, ...] = ()

    def build(self, leaves: Iterator[Any]) -> Any:
        """The nest with these leaves, taken from the front."""
        if self.kind is None:
            return next(leaves)
        items = [branch.build(leaves) for branch in self.branches]
        if issubclass(self.kind, dict):
            return self.kind(zip(self.keys, items, strict=True))
        return self.kind(*items) if hasattr(self.kind, "_fields") else self.kind(items)

    def unflatten(self, leaves: Any) -> Any:
        """The nest with exactly these leaves.

        >>> flatten((1, {"a": 2}))[1].unflatten([3, 4])
        (3, {'a': 4})
        """
        return self.build(iter(leaves))

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        names = [f"{key!r}: " for key in self.keys] or [""] * len(self.branches)
        inside = ", ".join(name + repr(branch) for name, branch in zip(names, self.branches, strict=True))
        return f"{self.kind.__name__}({inside})"


LEAF = Tree()


def _children(tree: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """(keys, items) of a container, None for a leaf."""
    if isinstance(tree, dict):
        return tuple(tree), tuple(tree.values())
    return ((), tuple(tree)) if isinstance(tree, (tuple, list)) else None


def flatten(tree: Any) -> tuple[list[Any], Tree]:
    """The leaves of a nest from left to right, and its shape.

    >>> flatten([1, (2, 3)])
    ([1, 2, 3], list(*, tuple(*, *)))
    """
    parts = _children(tree)
    if parts is None:
        return [tree], LEAF
    keys, items = parts
    leaves: list[Any] = []
    branches = []
    for item in items:
        found, branch = flatten(item)
        leaves += found
        branches.append(branch)
    return leaves, Tree(type(tree), keys, tuple(branches))


def prefixed(prefix: Any, tree: Tree) -> list[Any] | None:
    """One entry of `prefix` for each leaf of `tree`: a leaf of the prefix counts for all below it; None if it misfits.

    >>> prefixed((0, 1), flatten((1, [2, 3]))[1])
    [0, 1, 1]
    """
    parts = _children(prefix)
    if parts is None:
        return [prefix] * _size(tree)
    keys, items = parts
    alike = tree.kind is not None and isinstance(prefix, (tree.kind, _family(tree.kind)))
    if not alike or keys != tree.keys or len(items) != len(tree.branches):
        return None
    found = [prefixed(item, branch) for item, branch in zip(items, tree.branches, strict=True)]
    return None if None in found else [entry for entries in found for entry in entries]  # type: ignore[union-attr]


def _family(kind: Any) -> Any:
    return next(family for family in (dict, tuple, list) if issubclass(kind, family))


def _size(tree: Tree) -> int:
    return 1 if tree.kind is None else sum(map(_size, tree.branches))


def tree_map(function: Any, tree: Any) -> Any:
    """The nest with `function` of each leaf.

    >>> tree_map(lambda n: n + 1, {"a": [1, 2]})
    {'a': [2, 3]}
    """
    leaves, shape = flatten(tree)
    return shape.unflatten(map(function, leaves))
