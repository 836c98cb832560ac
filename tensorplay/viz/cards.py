"""The cards beside the picture: by which rule, with which numbers, what is on its way, and why this node now.

A card is plain data (a title and lines of words with roles); the page only sets it as text. Exact numbers travel
beside the rounded ones as JSON, see `exact`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .formulas import letters_of, rule_text, short_name, substituted, with_numbers
from .narrate import Sentence, Word, largest, many, place
from .state import State, senders
from .steps import Accumulated, Began, Ended, Freed, Hooked, OpRan, Sent, Step, Stepped, Visited, Zeroed
from .summary import number_text, shape_text
from .trace import Trace
from .value import Value

__all__ = ["Card", "CardLine", "Reader", "exact", "passing_card", "step_card", "way_card", "why_card"]

MOST = 7
"""Rows a card shows at most."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """A line of words; `style` is how it is set, `data` the exact numbers it shows."""

    style: str
    words: Sentence
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Card:
    """A title and lines."""

    title: str
    lines: tuple[CardLine, ...]


def exact(value: Value | None) -> str:
    """The numbers as JSON, each with all its digits; for a large array its exact sum, least and largest.

    >>> import numpy as np
    >>> exact(Value.of(np.array([0.1, 2.0])))
    '[0.1, 2.0]'
    >>> exact(None)
    'null'
    """
    if value is None:
        return "null"
    if value.numbers is not None and value.size <= 64:
        return json.dumps(value.tolist())
    summary = {"shape": value.shape, "sum": value.total, "min": value.low, "max": value.high, "head": value.head}
    return json.dumps(summary)


class Reader:
    """A trace with what every card looks up in it, found once."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.ran = {event.node: event for event in trace.events if isinstance(event, OpRan)}
        self._senders = senders(trace)
        self._starts = {e.pass_number: e.about for e in trace.events if isinstance(e, Began)}

    def top(self, event: Step) -> str:
        """The letter for what a pass differentiates: its root's name if that is one word, else L."""
        roots = self._starts.get(event.pass_number, ())
        name = short_name(self.trace, roots[0]) if len(roots) == 1 else "L"
        return name if name.isidentifier() and name not in roots else "L"

    def waits_for(self, state: State, node: str) -> tuple[str, ...]:
        """What `State.waits_for` says, without searching the trace again."""
        number = state.event.pass_number if state.event else None
        return tuple(who for step, who in self._senders.get((number, node), ()) if step > state.step)


# --------------------------------------------------------------------------------- what happens now


def step_card(reader: Reader, state: State) -> Card:
    """The card of the step itself: rule, sum, or change."""
    trace = reader.trace
    match state.event:
        case OpRan():
            return Card("What is computed", tuple(_computed(trace, state.event)))
        case Began():
            return Card("Where it starts", tuple(_seeds(reader, state.event)))
        case Visited():
            return Card("Rule of this step", tuple(_rule(reader, state.event)))
        case Freed():
            return Card("What is freed", tuple(_let_go(reader, state.event)))
        case Hooked():
            event = state.event
            return Card("Hook", (_change(trace, event.node, event.before, event.after, "grad"),))
        case Accumulated():
            return Card("Adding up in .grad", tuple(_sum(trace, state.event)))
        case Stepped():
            return Card(f"Step of {state.event.optimizer}", tuple(_moved(trace, state.event)))
        case Zeroed():
            names = [("name", f"{trace.graph[node].name}.grad") for node in state.event.nodes]
            return Card("Cleared", tuple(_line("row", name, ("sum", "none")) for name in names))
        case None:
            return Card("What is there", tuple(_start(trace)))
    return Card("What happened", (_text("See the sentence above."),))


def passing_card(trace: Trace, first: int, last: int) -> Card:
    """The card of steps that a page does not show one by one: how many there are of each kind."""
    kinds = Counter(type(event).__name__ for event in trace.events[first - 1 : last])
    rows = [_line("row", ("", name), ("", f"{count:,}")) for name, count in kinds.most_common(MOST)]
    return Card(f"Steps {first:,} to {last:,}", (*rows, _text("The boxes show what is true after the last of them.")))


def _line(style: str, *words: Word, **data: str) -> CardLine:
    return CardLine(style, tuple(words), data)


def _text(text: str) -> CardLine:
    return _line("soft", ("", text))


def _start(trace: Trace) -> list[CardLine]:
    leaves = [node for node in trace.graph.nodes if node.id in trace.start.values]
    lines = [_valued(node.name, trace.start.values[node.id]) for node in leaves[:7]]
    return lines + ([_text(f"and {len(leaves) - 7} more")] if len(leaves) > 7 else [])


def _valued(name: str, value: Value) -> CardLine:
    return _line("row", ("name", name), ("value", value.long), value=exact(value))


def _seeds(reader: Reader, event: Began) -> list[CardLine]:
    trace, top = reader.trace, reader.top(event)
    lines = []
    for seed in event.seeds:
        lead = ("", f"∂{top}/∂{short_name(trace, seed.target, seed.slot)} = ")
        lines.append(_line("math", lead, ("grad", seed.value.said), grad=exact(seed.value)))
    ones = all(seed.value.size == 1 and seed.value.total == 1 for seed in event.seeds)
    why = f"When {top} changes, {top} changes just as much: so 1."
    return lines + ([_text(why)] if ones else [])


def _computed(trace: Trace, event: OpRan) -> list[CardLine]:
    names = letters_of(trace, event.node, event.inputs)
    rule = trace.rules[trace.graph[event.node].op]
    body = substituted(rule_text(rule.label, rule.formula, rule.inputs), names)
    lines = [_line("math", ("", _equation(trace, event.node, body)))]
    if event.several:
        lines += [_valued(short_name(trace, event.node, nr), v) for nr, v in event.results[:MOST]]
        return lines + [_text(rule.summary)] * bool(rule.summary)
    numbers = with_numbers(rule_text(rule.label, rule.formula, rule.inputs), rule.inputs, event.inputs)
    shown = f"= {numbers} = " if numbers else "= "
    lines.append(_line("math", ("value", shown + event.value.said), value=exact(event.value)))
    return lines + _preview(event.value) + [_text(rule.summary)] * bool(rule.summary)


def _equation(trace: Trace, node: str, body: str) -> str:
    """y = b · x, or the right side alone where the node is called by what it computes."""
    name = short_name(trace, node)
    return body if name.startswith("(") else f"{name} = {body}"


def _rule(reader: Reader, event: Visited) -> list[CardLine]:
    trace, top = reader.trace, reader.top(event)
    rule = trace.rules[trace.graph[event.node].op]
    ran = reader.ran.get(event.node)
    names = letters_of(trace, event.node, ran.inputs if ran else ())
    formula = substituted(rule_text(rule.label, rule.formula, rule.inputs), names)
    lines = [_line("math", ("", _equation(trace, event.node, formula)))]
    for nr, value in enumerate(event.arrived):
        if value is not None:
            first = ("", f"g = ∂{top}/∂{short_name(trace, event.node, nr)} = ")
            lines.append(_line("math", first, ("grad", value.said), grad=exact(value)))
            lines += _preview(value)
    for sent in event.sent:
        lines += _pulled(reader, event, sent, names)
    return lines + ([_text("It had saved nothing, so there is nothing to let go of.")] if event.frees else [])


def _pulled(reader: Reader, event: Visited, sent: Sent, names: Mapping[str, str]) -> list[CardLine]:
    trace, ran = reader.trace, reader.ran.get(event.node)
    rule = trace.rules[trace.graph[event.node].op]
    slot = next((edge.slot for edge in trace.graph.into(event.node) if edge.id == sent.edge), 0)
    which = rule.inputs[min(slot, len(rule.inputs) - 1)] if rule.inputs else ""
    local = rule.local.get(which, "its rule")
    known = {"g": event.arrived[0], "out": ran.value} if ran and event.arrived else {"g": event.arrived[0]}
    numbers = with_numbers(local, rule.inputs, ran.inputs if ran else (), known)
    grads = f"{numbers} = {sent.value.said}" if numbers else sent.value.said
    lead = ("", f"∂{reader.top(event)}/∂{short_name(trace, sent.target, sent.slot)} ← {substituted(local, names)} = ")
    lines = [_line("math", lead, ("grad", grads), grad=exact(sent.value), target=sent.target)]
    return lines + _preview(sent.value) + _unstretched(event, sent)


def _unstretched(event: Visited, sent: Sent) -> list[CardLine]:
    """Where an input was stretched to fit, its gradient is summed back."""
    came = event.arrived[0]
    if came is None or len(came.shape) <= len(sent.value.shape) or came.size <= sent.value.size > 1:
        return []
    return (
        [_text(f"summed from {shape_text(came.shape)} to {shape_text(sent.value.shape)}")]
        if sent.value.size > 1
        else []
    )


def _preview(value: Value) -> list[CardLine]:
    """How large the numbers are, and the first of them, of an array that is not written out."""
    if not many(value) or value.low is None or value.high is None:
        return []
    if value.low == value.high:
        return [_text(f"all are {number_text(value.low)}")]
    first = ", ".join(map(number_text, value.head))
    return [_text(f"from {number_text(value.low)} to {number_text(value.high)}; the first are {first}")]


def _let_go(reader: Reader, event: Freed) -> list[CardLine]:
    ran = reader.ran.get(event.node)
    names = letters_of(reader.trace, event.node, ran.inputs) if ran else {}
    saved = [(names.get(name, name), size) for name, size in (ran.saved if ran else ())]
    lines = [_line("row", ("name", name), ("sum", f"{size:,} B")) for name, size in saved]
    if len(lines) != 1:
        lines.append(_line("row", ("name", "together"), ("sum", f"{event.nbytes:,} B")))
    return [*lines, _text("Its edges stay, so the picture does too; a second backward would find nothing to use.")]


def _sum(trace: Trace, event: Accumulated) -> list[CardLine]:
    data = {
        "leaf": event.node,
        "before": exact(event.before),
        "increment": exact(event.increment),
        "after": exact(event.after),
    }
    name = trace.graph[event.node].name
    values = (event.before, event.increment, event.after)
    if not many(event.after):
        words = _addition(*(v.said if v else "none" for v in values))
        return [_line("addition", ("name", f"{name}.grad"), ("", ": "), *words, **data), _note(event)]
    entry = largest(event)
    numbers = (entry.before, entry.change, entry.after)
    words = _addition(*("none" if n is None else number_text(n) for n in numbers))
    data |= {"index": place(entry), "entry": json.dumps(numbers)}
    rows = [
        _line("row", ("name", f"{name}.grad"), ("after", event.after.said)),
        _line("row", ("", "before"), ("before", _range(event.before) if event.before else "none")),
        _line("row", ("", "increment"), ("increment", _range(event.increment))),
        _line("row", ("", "after"), ("after", _range(event.after))),
    ]
    return [*rows, _line("addition", ("", f"most, at {place(entry)}: "), *words, **data), _note(event)]


def _addition(before: str, increment: str, after: str) -> tuple[Word, ...]:
    return (("before", before), ("", " + "), ("increment", increment), ("", " = "), ("after", after))


def _note(event: Accumulated) -> CardLine:
    if event.before is None:
        return _text("Nothing was there. A second backward would add to this.")
    return _text("A gradient was there already: backward adds to it, it does not replace it.")


def _moved(trace: Trace, event: Stepped) -> list[CardLine]:
    if not many(event.after):
        return [_change(trace, event.node, event.before, event.after, "value")]
    rows = [
        _line("row", ("name", trace.graph[event.node].name), ("value", event.after.said)),
        _line("row", ("", "before"), ("value", _range(event.before))),
        _line("row", ("", "after"), ("value", _range(event.after))),
    ]
    entry = largest(event)
    change = f"{number_text(entry.before)} → {number_text(entry.after)}"
    data = {"before": exact(event.before), "after": exact(event.after), "index": place(entry)}
    return [*rows, _line("row", ("", f"moves most, at {place(entry)}"), ("value", change), **data)]


def _range(value: Value) -> str:
    return f"{number_text(value.low)} to {number_text(value.high)}"


def _change(trace: Trace, node: str, before: Value | None, after: Value | None, role: str) -> CardLine:
    old, new = (v.long if v is not None else "none" for v in (before, after))
    data = {"before": exact(before), "after": exact(after)}
    return _line("change", ("name", trace.graph[node].name), (role, old), ("", "→"), (role, new), **data)


# -------------------------------------------------------------------------- what waits, and why now


def way_card(reader: Reader, state: State) -> Card:
    """Gradients that arrived somewhere and wait there, with what is still to come; else what `.grad` holds."""
    lines: list[CardLine] = []
    for node in list(state.pending)[:MOST]:
        lines += _waiting(reader, state, node)
    if state.pending:
        rest = len(state.pending) - MOST
        return Card("Gradients on their way", (*lines, *([_text(f"and {rest} more")] if rest > 0 else ())))
    return Card("Gradients kept in .grad", tuple(_held(reader.trace, state)))


def _waiting(reader: Reader, state: State, node: str) -> list[CardLine]:
    arrivals, name = state.pending[node], reader.trace.graph[node].name
    terms = " + ".join(a.value.gradient_text for a in arrivals) + " =" if len(arrivals) > 1 else ""
    total = arrivals[-1].total
    line = _line("row", ("name", name), ("", terms), ("grad", total.gradient_text), grad=exact(total), node=node)
    more = reader.waits_for(state, node)
    return [line, _text(f"more to come from {_and(reader.trace, more)}")] if more else [line]


def _held(trace: Trace, state: State) -> list[CardLine]:
    if not state.grads:
        return [_text("None.")]
    lines = [
        _line("row", ("name", f"{trace.graph[n].name}.grad"), ("sum", value.gradient_text), grad=exact(value), node=n)
        for n, value in list(state.grads.items())[:MOST]
    ]
    return lines + ([_text(f"and {len(state.grads) - MOST} more")] if len(state.grads) > MOST else [])


def why_card(reader: Reader, state: State) -> Card:
    """Why this step is the next one."""
    lines = _why_visit(reader.trace, state, state.event) if isinstance(state.event, Visited) else _why(state)
    return Card("Why this, why now", tuple(lines))


_REASONS: Mapping[type[Step], str] = {
    OpRan: "Forward: operations run in the order of the program.",
    Began: "Only the start has a gradient so far. Of the nodes that gradients have reached, the newest goes first.",
    Freed: "Its rule has run, and nothing else reads what it had saved.",
    Accumulated: "Leaves are written at the end of the pass, when nothing can still be on its way to them.",
    Ended: "No operation is left that a gradient has reached.",
    Stepped: "The optimizer reads .grad and changes the parameter. That is no operation of the graph.",
    Zeroed: "backward() adds to .grad, so it must be cleared between steps.",
}


def _why(state: State) -> list[CardLine]:
    event = state.event
    return [_text(_REASONS.get(type(event), "The program decides.") if event else "This is before the first step.")]


def _why_visit(trace: Trace, state: State, event: Visited) -> list[CardLine]:
    """The true rule of the engine: of the nodes that gradients have reached, the newest."""
    new = {sent.target for sent in event.sent}
    earlier = [n for n, arrivals in state.pending.items() if n not in new or arrivals[0].source != event.node]
    others = [n for n in earlier if trace.graph[n].is_op]
    name = ("name", trace.graph[event.node].name)
    if not others:
        return [CardLine("text", (name, ("", " is the only operation that a gradient has reached.")))]
    reached = CardLine("text", (("", "Reached: "), name, ("", f" (the newest) and {_and(trace, others)}.")))
    return [
        reached,
        _text("The newest goes first: it is newer than all it came from, so nothing is still on its way to it."),
    ]


def _and(trace: Trace, nodes: Sequence[str]) -> str:
    names = [trace.graph[node].name for node in nodes]
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
