"""Each step in one sentence. All sentences are in one table, so that they can be read, mended and translated.

A sentence is a tuple of words, each with a role ("grad" for a gradient's number, "value", "name", or "" for the
text between), so that a page can colour what a terminal prints plainly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .expressions import constant_text
from .steps import (
    Accumulated,
    Again,
    Began,
    Ended,
    Entry,
    Failed,
    Freed,
    Hooked,
    OpRan,
    OpRefused,
    Step,
    Stepped,
    Visited,
    Written,
    Zeroed,
)
from .summary import number_text, shape_text
from .text import one_line
from .trace import Trace
from .value import Value

__all__ = [
    "TEMPLATES",
    "Sentence",
    "Word",
    "input_names",
    "largest",
    "many",
    "passing",
    "place",
    "plain",
    "sentence",
    "transcript",
]

Word = tuple[str, str]
"""(role, text)"""
Sentence = tuple[Word, ...]

TEMPLATES: Mapping[str, str] = {
    "start": "Nothing has run yet. {count} to come: step through them, or press Play.",
    "start empty": "Nothing was recorded: no operation in the block needed a gradient.",
    "passing": "{count} pass at once, up to step {last} of the recording, so that the page stays small.",
    "op": "{op} takes {inputs} and makes {results}. {keeps}",
    "op alone": "{op} makes {results}. {keeps}",
    "keeps": "For the way back it keeps {what}.",
    "keeps nothing": "For the way back it needs to keep nothing.",
    "refused": "{op} refuses inputs of shapes {shapes}. {error}",
    "backward": "The backward pass starts at {roots} with the gradient {seeds}.",
    "backward retain": " The graph will be kept.",
    "backward create": " The pass is recorded too, so that its result can be differentiated again.",
    "visit": "The gradient {grads} reaches {node}.",
    "visit many": "The gradients {grads} reach {node}.",
    "visit sends": " It sends {sent}.",
    "visit end": " It sends nothing on.",
    "visit frees": " It is freed.",
    "hook": "A hook on {node} sees the gradient {before} and makes it {after}.",
    "hook looks": "A hook on {node} looks at the gradient {before} and leaves it as it is.",
    "freed": "{node} is done, so the {arrays} it had saved are freed: {bytes}.",
    "freed one": "{node} is done, so the array it had saved is freed: {bytes}.",
    "accumulate": "{node}.grad is added to: {before} + {increment} = {after}.",
    "accumulate first": "{node}.grad was empty. Now it is {after}.",
    "accumulate many": "{node}.grad is added to, number by number; most at {where}: {before} + {increment} = {after}.",
    "accumulate many first": "{node}.grad was empty. Now it holds {after}.",
    "ended": "The backward pass is over. {visited} visited, {leaves}, {freed} freed.",
    "failed": "The backward pass stops at {node}. {error}",
    "failed early": "The backward pass stops before its first node. {error}",
    "again": "backward() is called again on {roots}, but this graph is freed: nothing changes.",
    "written value": "{node} is overwritten in place: it is now {value}.",
    "written grad": "The gradient of {node} is overwritten in place: it is now {grad}.",
    "optimizer": "{optimizer} moves {node} from {before} to {after}.",
    "optimizer many": "{optimizer} moves {node}, and most at {where}: from {before} to {after}.",
    "zero": "The gradients of {nodes} are cleared, so that the next pass starts from nothing.",
}
"""Every sentence. A field in braces is filled by the function of that step below."""


def sentence(trace: Trace, step: int) -> Sentence:
    """The sentence of step `step` (0 is the start)."""
    if step == 0:
        template = "start" if trace.events else "start empty"
        return _fill(template, count=_count(len(trace.events), "step"))
    event = trace.events[step - 1]
    return _TELL[type(event)](trace, event)


def plain(words: Sentence) -> str:
    """The sentence as text on one line."""
    return one_line("".join(text for _, text in words))


def transcript(trace: Trace) -> str:
    """The whole trace in words, one line a step.

    >>> print(transcript(Trace()))
     0  Nothing was recorded: no operation in the block needed a gradient.
    """
    width = max(2, len(str(len(trace.events))))
    lines = [f"{step:{width}}  {plain(sentence(trace, step))}" for step in range(len(trace.events) + 1)]
    return "\n".join(
        [*([one_line(trace.graph.title)] if trace.graph.title else []), *lines, *trace.left_out.sentences()]
    )


def input_names(trace: Trace, node: str, values: Sequence[Value | None] = ()) -> tuple[str, ...]:
    """What each input of an operation is called: a node's name, or the number itself."""
    sources = {edge.slot: trace.graph[edge.source].called(edge.output) for edge in trace.graph.into(node)}
    count = max([len(values), *(slot + 1 for slot in sources)])
    return tuple(sources.get(i) or _constant(values, i) for i in range(count))


def _constant(values: Sequence[Value | None], i: int) -> str:
    value = values[i] if i < len(values) else None
    if value is None:
        return "a constant"
    return constant_text(value.head[0]) if value.shape == () else value.text


# ------------------------------------------------------------------------------------- one a step


def passing(count: int, last: int) -> Sentence:
    """The sentence of steps that a page does not show one by one."""
    return _fill("passing", count=_count(count, "step"), last=f"{last:,}")


def _op(trace: Trace, event: OpRan) -> Sentence:
    names = input_names(trace, event.node, event.inputs)
    return _fill(
        "op" if names else "op alone",
        op=("op", _op_word(trace, event.node)),
        inputs=_listed([("name", name) for name in names]),
        results=_few([_join(_name(trace, event.node, nr), " = ", ("value", v.said)) for nr, v in event.results]),
        keeps=_keeps(trace, event, names),
    )


def _op_word(trace: Trace, node: str) -> str:
    """Its class and, where that differs, its sign: Mul (×)."""
    box = trace.graph[node]
    same = box.label.replace(" ", "").replace("-", "").lower() == box.op.lower()
    return box.op if same or not box.label else f"{box.op} ({box.label})"


def _keeps(trace: Trace, event: OpRan, names: Sequence[str]) -> Sentence:
    if not event.saved:
        return _fill("keeps nothing")
    rule = trace.rules[trace.graph[event.node].op]
    called = dict(zip(rule.inputs, names, strict=False))
    words = [called.get(name.split("[")[0], "its result" if name == "out" else name) for name, _ in event.saved]
    told = [_join(("name", w), " (twice)" * (words.count(w) > 1)) for w in dict.fromkeys(words)]
    return _fill("keeps", what=_listed(told))


def _refused(trace: Trace, event: OpRefused) -> Sentence:
    shapes = " and ".join(shape_text(shape) for shape in event.shapes)
    return _fill("refused", op=("op", event.op), shapes=shapes, error=_error(event.error, event.message))


def _began(trace: Trace, event: Began) -> Sentence:
    seeds = [("grad", seed.value.said) for seed in event.seeds]
    roots = [_name(trace, seed.target, seed.slot) for seed in event.seeds]
    words = _fill("backward", roots=_few(roots), seeds=_listed(seeds))
    words += _fill("backward create") if event.create else _fill("backward retain") if event.retain else ()
    return words


def _visit(trace: Trace, event: Visited) -> Sentence:
    grads = [_aside(value) for value in event.arrived if value is not None]
    sent = _listed([_join(("grad", s.value.said), ("", " to "), _name(trace, s.target, s.slot)) for s in event.sent])
    words = _fill("visit many" if len(grads) > 1 else "visit", grads=_listed(grads), node=_name(trace, event.node))
    words += _fill("visit sends", sent=sent) if sent else _fill("visit end")
    return words + (_fill("visit frees") if event.frees else ())


def _aside(value: Value) -> Word:
    return ("grad", f"({value.said})" if many(value) else value.said)


def _hook(trace: Trace, event: Hooked) -> Sentence:
    changed = event.before != event.after
    before, after = _grad(event.before), _grad(event.after)
    return _fill("hook" if changed else "hook looks", node=_name(trace, event.node), before=before, after=after)


def _freed(trace: Trace, event: Freed) -> Sentence:
    template = "freed one" if event.arrays == 1 else "freed"
    arrays, nbytes = _count(event.arrays, "array"), _count(event.nbytes, "byte")
    return _fill(template, node=_name(trace, event.node), arrays=arrays, bytes=nbytes)


def _accumulated(trace: Trace, event: Accumulated) -> Sentence:
    large = many(event.after)
    before, increment, after = event.before, event.increment, event.after
    fields = {"before": _sum(before), "increment": _grad(increment), "after": _sum(after), "where": ""}
    if large and before is not None:
        entry = largest(event)
        numbers = [number_text(n) for n in (entry.before, entry.change, entry.after)]
        fields = dict(zip(fields, zip(("sum", "grad", "sum"), numbers, strict=True), strict=False))
        fields["where"] = place(entry)
    template = "accumulate" + " many" * large + " first" * (before is None)
    return _fill(template, node=_name(trace, event.node), **fields)


def many(value: Value) -> bool:
    """Whether a sentence can only say how many numbers there are."""
    return value.said.endswith("numbers") and bool(value.head)


def largest(event: Accumulated | Stepped) -> Entry:
    """The number that changes most; the first one in a trace that does not say which."""
    if event.largest is not None:
        return event.largest
    before, after = event.before, event.after
    change = event.increment.head[0] if isinstance(event, Accumulated) else ""
    return Entry((0,) * len(after.shape), before.head[0] if before else None, change, after.head[0])


def place(entry: Entry) -> str:
    """An index as it is written in the program."""
    return f"[{', '.join(map(str, entry.index))}]"


def _ended(trace: Trace, event: Ended) -> Sentence:
    leaves = _count(event.leaves, "leaf has", "leaves have") + " a gradient"
    return _fill("ended", visited=_count(event.visited, "operation"), leaves=leaves, freed=str(event.freed))


def _failed(trace: Trace, event: Failed) -> Sentence:
    error = _error(event.error, event.message)
    if event.node is None:
        return _fill("failed early", error=error)
    return _fill("failed", node=_name(trace, event.node), error=error)


def _again(trace: Trace, event: Again) -> Sentence:
    return _fill("again", roots=_names(trace, event.roots))


def _written(trace: Trace, event: Written) -> Sentence:
    value, grad = ("value", event.value.said), ("grad", event.value.said)
    return _fill(f"written {event.what}", node=_name(trace, event.node), value=value, grad=grad)


def _stepped(trace: Trace, event: Stepped) -> Sentence:
    words: dict[str, Any] = {"optimizer": event.optimizer, "node": _name(trace, event.node)}
    if not many(event.after):
        return _fill("optimizer", before=("value", event.before.said), after=("value", event.after.said), **words)
    entry = largest(event)
    before, after = (("value", number_text(n)) for n in (entry.before, entry.after))
    return _fill("optimizer many", before=before, after=after, where=place(entry), **words)


def _zeroed(trace: Trace, event: Zeroed) -> Sentence:
    return _fill("zero", nodes=_names(trace, event.nodes))


_TELL: Mapping[type[Step], Any] = {
    OpRan: _op,
    OpRefused: _refused,
    Began: _began,
    Visited: _visit,
    Hooked: _hook,
    Freed: _freed,
    Accumulated: _accumulated,
    Ended: _ended,
    Failed: _failed,
    Again: _again,
    Written: _written,
    Stepped: _stepped,
    Zeroed: _zeroed,
}


# ------------------------------------------------------------------------------------------- words


def _fill(template: str, **words: Any) -> Sentence:
    """Put words into a template of the table; neighbours without a role run together."""
    found: list[Word] = []
    for part in re.split(r"(\{\w+\})", TEMPLATES[template]):
        word = words[part[1:-1]] if part.startswith("{") else part
        found += _join(word)
    return tuple(found)


def _join(*words: Any) -> Sentence:
    """Words, sentences and plain text as one sentence."""
    found: list[Word] = []
    for word in words:
        if isinstance(word, str):
            found += [("", word)] if word else []
        elif word and isinstance(word[0], str):
            found.append(word)
        else:
            found += word
    return tuple(found)


def _listed(items: Sequence[Any]) -> Sentence:
    """One, two and three, with the commas a sentence needs."""
    found: list[Any] = []
    for position, item in enumerate(items):
        found += [" and " if position == len(items) - 1 else ", "] if position else []
        found.append(item)
    return _join(*found)


def _name(trace: Trace, node: str, nr: int | None = None) -> Word:
    """What a box is called, or its result number `nr`."""
    box = trace.graph[node]
    return ("name", box.name if nr is None else box.called(nr))


def _names(trace: Trace, nodes: Sequence[str]) -> Sentence:
    return _few([_name(trace, node) for node in nodes])


def _few(items: Sequence[Any]) -> Sentence:
    """All of a few, or the first of many and how many more there are."""
    return _listed(items if len(items) <= 5 else [*items[:4], ("", f"{len(items) - 4} more")])


def _grad(value: Value | None) -> Word:
    return ("grad", value.said if value is not None else "nothing")


def _sum(value: Value | None) -> Word:
    return ("sum", value.said if value is not None else "nothing")


def _error(kind: str, message: str) -> str:
    first = message.strip().splitlines()[0] if message.strip() else ""
    return f"{kind}: {first}" if first else kind


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
