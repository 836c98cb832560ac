"""The listener behind `record()`: events in, steps out.

Each kind of event has one method, and each method adds at most one step. Arrays are copied or summarised at
once; boxes stand in for nodes and tensors until the end gives them their ids.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .. import events as ev
from . import steps
from .collect import Box, Collector, EdgeRef, by_number, is_node, resolve, target_of
from .lines import Lines, plain_source, running_frame
from .names import Pairs, caller_names
from .summary import array_of, summarise
from .trace import Start, Trace
from .value import Keeper, Value

__all__ = ["Recorder"]


class Recorder:
    """The listener: one method for each kind of event, each adding at most one step."""

    def __init__(self, keeper: Keeper, limit: int, source: bool) -> None:
        self.keep = keeper
        self.limit = limit
        self.collector = Collector()
        self.steps: list[steps.Step] = []
        self.lines = Lines(source)
        self._started: dict[str, dict[Box, Any]] = {"values": {}, "grads": {}, "done": {}, "freed": {}, "saved": {}}
        self._passes: dict[int | None, int] = {}
        self._open: list[int] = []
        self._ending: int | None = None
        self._totals: dict[tuple[int | None, int, int], Any] = {}
        self._unclaimed: dict[int, list[int]] = {}
        self._modules: list[str] = []
        self._parameters: dict[str, Any] = {}
        self._variables: Pairs = []
        self._thread = threading.get_ident()
        self._unrecorded = 0
        self._dropped = 0

    def __call__(self, event: ev.Event) -> None:
        """Take one event."""
        handler = _HANDLERS.get(type(event))
        if handler is not None and event.thread_id == self._thread:
            if not isinstance(event, ev.GradAccumulated):
                self._end()
            handler(self, event)

    def _add(self, step: steps.Step) -> None:
        if len(self.steps) < self.limit:
            self.steps.append(step)
        else:
            self._dropped += 1

    # ----------------------------------------------------------------------------------- forward

    def _op(self, event: ev.OpExecuted) -> None:
        if event.node is None:
            self._unrecorded += 1
            return
        output = event.outputs[0]
        box = self.collector.ran(event.node, event.inputs, output)
        box.source, box.module = plain_source(event.source), self._modules[-1] if self._modules else None
        box.keeps = tuple(name for name, _ in event.saved)
        box.saved_bytes = event.node.saved_bytes
        for source in box.inputs:
            self._first_value(source)
        saved = tuple((name, int(getattr(array, "nbytes", 0))) for name, array in event.saved)
        inputs = tuple(self.keep.value(x) for x in event.inputs)
        line, number = self.lines.add(event.source), self._open[-1] if self._open else None
        value, several = self.keep.value(output), tuple(map(self.keep.maybe, by_number(event.node, event.outputs)))
        self._add(steps.OpRan(_ref(box), inputs, value, saved, several, line=line, pass_number=number))

    def _first_value(self, box: Any) -> None:
        """A leaf's value and gradient as they were when it was first read."""
        if isinstance(box, Box) and not box.is_op and box not in self._started["values"]:
            self._started["values"][box] = self.keep.value(box.thing)
            grad = getattr(box.thing, "_grad", None)
            if grad is not None:
                self._started["grads"][box] = self.keep.value(grad)

    def _refused(self, event: ev.OpFailed) -> None:
        shapes = tuple(tuple(getattr(array_of(x), "shape", ())) for x in event.inputs)
        name, text = type(event.error).__name__, str(event.error)
        self._add(steps.OpRefused(event.op.__name__, shapes, name, text, line=self.lines.add(event.source)))

    def _entered(self, event: ev.ModuleEntered) -> None:
        if not self._modules and hasattr(event.module, "named_parameters"):
            self._parameters |= dict(event.module.named_parameters())
        self._modules.append(event.name)

    def _left(self, event: ev.ModuleLeft) -> None:
        if self._modules:
            self._modules.pop()

    # ---------------------------------------------------------------------------------- backward

    def _began(self, event: ev.BackwardStarted) -> None:
        number = self._passes[event.pass_id] = len(self._passes) + 1
        self._open.append(number)
        self._learn_names()
        edges = [_edge(root) for root in event.roots]
        for box in self.collector.history(edges):
            self._was_there(box)
        for edge in edges:
            self._mark_root(edge)
        self._add(steps.Began((), event.retain, event.create, line=self.lines.here(), pass_number=number))

    def _learn_names(self) -> None:
        """The variables where backward is called: a training loop's names are gone when the recording ends."""
        tensors, parameters = caller_names(running_frame())
        self._variables += tensors
        self._parameters |= dict(parameters)

    def _mark_root(self, edge: Any) -> None:
        box = self.collector.find(target_of(edge))
        if box is not None and box.is_op and not self._inside_a_pass():
            box.kind = "output"

    def _inside_a_pass(self) -> bool:
        return len(self._open) > 1

    def _was_there(self, box: Box) -> None:
        """Note an operation that ran before the recording, or a leaf that only it reads."""
        if not box.is_op:
            self._first_value(box)
            return
        self._started["done"][box] = True
        box.saved_bytes = int(box.thing.saved_bytes or 0)
        if box.thing.freed:
            box.freed = True
            self._started["freed"][box] = True
        elif box.saved_bytes:
            self._started["saved"][box] = box.saved_bytes

    def _arrived(self, event: ev.GradientArrived) -> None:
        """A seed belongs to the step that began the pass, any other to its sender's visit."""
        number = self._passes.get(event.pass_id)
        if event.source is None:
            position = self._last_of(steps.Began, number)
        else:
            position = self._last_of(steps.Visited, number, self._box(event.source))
        target = self.collector.find(event.node) or self._box(event.node)
        sent = steps.Sent(
            _ref(self._edge_to(event)),
            _ref(target),
            event.slot,
            self.keep.value(event.value),
            self.keep.value(self._total(event)),
        )
        if position is None:
            return
        step = self.steps[position]
        if isinstance(step, steps.Began):
            self.steps[position] = replace(step, seeds=(*step.seeds, sent))
        elif isinstance(step, steps.Visited):
            self.steps[position] = replace(step, sent=(*step.sent, sent))

    def _last_of(self, kind: type[steps.Step], number: int | None, node: Box | None = None) -> int | None:
        """Where the latest step of a kind in a pass is, if it is about `node`; none once it was left out."""
        oldest = len(self.steps) - 1 if self._dropped else 0
        for position in range(len(self.steps) - 1, max(oldest, 0) - 1, -1):
            step = self.steps[position]
            if isinstance(step, kind) and step.pass_number == number:
                return position if node is None or node in step.about else None
        return None

    def _total(self, event: ev.GradientArrived) -> Any:
        """The sum of what waits at the target. A copy: the engine may go on adding into its own array."""
        key = (event.pass_id, id(event.node), event.slot)
        value = array_of(event.value)
        total = self._totals[key] + value if key in self._totals else value.copy()
        self._totals[key] = total
        return total

    def _edge_to(self, event: ev.GradientArrived) -> EdgeRef | None:
        """Which of the sender's inputs this gradient goes to; inputs that lead to the same place take turns."""
        sender = self.collector.find(event.source) if event.source is not None else None
        if sender is None:
            return None
        free = self._unclaimed.get(id(event.source), [])
        for slot in free:
            if _leads_to(event.source.edges[slot], event.node, event.slot):
                free.remove(slot)
                return EdgeRef(sender, slot)
        return None

    def _visited(self, event: ev.NodeVisited) -> None:
        box = self._box(event.node)
        self._unclaimed = {id(event.node): [i for i, g in enumerate(event.grads_out) if g is not None]}
        for slot in range(len(event.grads_in)):
            self._totals.pop((event.pass_id, id(event.node), slot), None)
        arrived = tuple(self.keep.maybe(g) for g in event.grads_in)
        if len(arrived) == 1 and arrived[0] is not None:
            box.grad = summarise(event.grads_in[0])
        self._add(
            steps.Visited(_ref(box), arrived, (), line=self._made(box), pass_number=self._passes.get(event.pass_id))
        )

    def _hooked(self, event: ev.HookFired) -> None:
        box = self._box(event.where)
        before, after = self._gradient(event.before), self._gradient(event.after)
        self._add(steps.Hooked(_ref(box), before, after, event.kind, pass_number=self._passes.get(event.pass_id)))

    def _gradient(self, value: Any) -> Value | None:
        """Hooks on nodes see a tuple; the first gradient in it stands for it."""
        if isinstance(value, tuple):
            value = next((v for v in value if v is not None), None)
        return self.keep.maybe(value)

    def _freed(self, event: ev.SavedFreed) -> None:
        """Its own step, unless nothing was saved: then the visit itself is the end of the node."""
        box = self._box(event.node)
        box.freed = True
        number = self._passes.get(event.pass_id)
        position = self._last_of(steps.Visited, number, box)
        step = self.steps[position] if position is not None else None
        if not event.arrays and position is not None and isinstance(step, steps.Visited):
            self.steps[position] = replace(step, frees=True)
        elif event.arrays or not self._dropped:
            self._add(steps.Freed(_ref(box), event.arrays, event.nbytes, line=self._made(box), pass_number=number))

    def _accumulated(self, event: ev.GradAccumulated) -> None:
        box = self.collector.of_tensor(event.leaf) or self.collector.tensor(event.leaf)
        box.grad = summarise(event.after)
        before, after = self.keep.maybe(event.before), self.keep.value(event.after)
        number = self._passes.get(event.pass_id, self._ending)
        increment, largest = (
            self.keep.value(event.increment),
            steps.Entry.of(event.before, event.after, event.increment),
        )
        self._add(steps.Accumulated(_ref(box), before, increment, after, largest, pass_number=number))

    def _ended(self, event: ev.BackwardFinished) -> None:
        """Leaves may be written right after the pass: its last step waits until they were."""
        self._ending = self._close(event)

    def _end(self) -> None:
        number, self._ending = self._ending, None
        if number is None:
            return
        began = self._last_of(steps.Began, number)
        mine = [s for s in self.steps[began:] if s.pass_number == number]
        visits = sum(isinstance(s, steps.Visited) for s in mine)
        leaves = len({id(s.about[0]) for s in mine if isinstance(s, steps.Accumulated)})
        freed = sum(isinstance(s, steps.Freed) or (isinstance(s, steps.Visited) and s.frees) for s in mine)
        self._add(steps.Ended(visits, leaves, freed, pass_number=number))

    def _close(self, event: ev.PassEvent) -> int | None:
        number = self._passes.get(event.pass_id)
        if number in self._open:
            self._open.remove(number)
        self._totals = {key: total for key, total in self._totals.items() if key[0] != event.pass_id}
        return number

    def _failed(self, event: ev.BackwardFailed) -> None:
        box = self._box(event.node) if event.node is not None else None
        error = event.error
        self._add(steps.Failed(_ref(box), type(error).__name__, str(error), pass_number=self._close(event)))

    def _again(self, event: ev.BackwardOnFreedGraph) -> None:
        edges = [_edge(root) for root in event.roots]
        for box in self.collector.history(edges):
            self._was_there(box)
        roots = tuple(self.collector.find(target_of(edge)) for edge in edges if edge is not None)
        self._add(steps.Again(_ref(roots), line=self.lines.here()))

    # ------------------------------------------------------------------------------------ update

    def _written(self, event: ev.InPlace) -> None:
        box, what = self.collector.find(event.tensor), "value"
        if box is None:
            what = "grad"
            box = next((b for b in self.collector.boxes if getattr(b.thing, "_grad", None) is event.tensor), None)
        if box is not None:
            value = self.keep.value(event.tensor)
            self._add(steps.Written(_ref(box), what, value, event.version, line=self.lines.add(event.source)))

    def _stepped(self, event: ev.OptimizerStepped) -> None:
        """Told once: an in-place write of the same parameter right before is the same thing."""
        box = self.collector.tensor(event.param)
        while self.steps and isinstance(self.steps[-1], steps.Written) and self.steps[-1].node is box:
            self.steps.pop()
        if box not in self._started["values"]:
            self._started["values"][box] = self.keep.value(event.before)
        name = type(event.optimizer).__name__
        before, after = self.keep.value(event.before), self.keep.value(event.after)
        largest = steps.Entry.of(event.before, event.after)
        self._add(steps.Stepped(_ref(box), name, before, after, largest, line=self.lines.here()))

    def _zeroed(self, event: ev.GradsZeroed) -> None:
        boxes = tuple(box for p in event.params if (box := self.collector.find(p)) is not None)
        while self.steps and isinstance(self.steps[-1], steps.Written) and self.steps[-1].what == "grad":
            self.steps.pop()
        for box in boxes:
            box.grad = None
        if boxes:
            self._add(steps.Zeroed(_ref(boxes), line=self.lines.here()))

    def _box(self, thing: Any) -> Box:
        box = self.collector.find(thing)
        if box is not None:
            return box
        return (
            self.collector.node(thing)
            if is_node(thing)
            else self.collector.of_tensor(thing) or self.collector.tensor(thing)
        )

    def _made(self, box: Box) -> int | None:
        return self.lines.add(box.source)

    # ------------------------------------------------------------------------------------ the end

    def fill(self, trace: Trace, variables: Pairs, parameters: Pairs, title: str) -> None:
        """Give out names and ids, and fill the trace: the one moment at which it changes."""
        self._end()
        c = self.collector
        c.name([*variables, *self._variables])
        c.name([*self._parameters.items(), *parameters], module=True)
        c.number()
        ids = c.edge_ids
        filled = {
            "graph": c.graph(title or self._title()),
            "events": tuple(resolve(step, ids) for step in self.steps),
            "start": self._start(),
            "rules": {b.op.__name__: _rule(b.op) for b in c.boxes if b.op is not None},
            "lines": tuple(self.lines.all),
            "left_out": steps.LeftOut(
                self.keep.values, self.keep.elements, self._unrecorded, self._dropped, self.keep.budget
            ),
        }
        for name, value in filled.items():
            object.__setattr__(trace, name, value)

    def _start(self) -> Start:
        found = self._started
        pairs = {what: {b.id: found[what][b] for b in found[what]} for what in ("values", "grads", "saved")}
        done, freed = (tuple(b.id for b in found[what]) for what in ("done", "freed"))
        return Start(pairs["values"], pairs["grads"], done, freed, pairs["saved"])

    def _title(self) -> str:
        """The line that made what the first pass began from, if it is short enough to be a title."""
        outputs = [b for b in self.collector.boxes if b.kind == "output"]
        if not outputs:
            return "A recorded run"
        source = outputs[0].source
        if source is not None and source.text and len(source.text) <= 60:
            return source.text.strip()
        return f"Backward from {outputs[0].name}" if outputs[0].name else "A backward pass"


_HANDLERS: dict[type[ev.Event], Callable[[Recorder, Any], None]] = {
    ev.OpExecuted: Recorder._op,
    ev.OpFailed: Recorder._refused,
    ev.ModuleEntered: Recorder._entered,
    ev.ModuleLeft: Recorder._left,
    ev.BackwardStarted: Recorder._began,
    ev.GradientArrived: Recorder._arrived,
    ev.NodeVisited: Recorder._visited,
    ev.HookFired: Recorder._hooked,
    ev.SavedFreed: Recorder._freed,
    ev.GradAccumulated: Recorder._accumulated,
    ev.BackwardFinished: Recorder._ended,
    ev.BackwardFailed: Recorder._failed,
    ev.BackwardOnFreedGraph: Recorder._again,
    ev.InPlace: Recorder._written,
    ev.OptimizerStepped: Recorder._stepped,
    ev.GradsZeroed: Recorder._zeroed,
}


def _ref(thing: Any) -> Any:
    """A box (or edge) where a step holds an id: `resolve` puts the id in at the end."""
    return thing


def _edge(root: Any) -> Any:
    """Where a root's gradient goes in: roots may be tensors, nodes or edges."""
    node = getattr(root, "_node", None)
    return root if node is None else node


def _leads_to(edge: Any, node: Any, slot: int) -> bool:
    return edge is not None and target_of(edge) is node and getattr(edge, "nr", 0) == slot


def _rule(op: Any) -> steps.Rule:
    summary = next(iter((op.__doc__ or "").strip().splitlines()), "")
    return steps.Rule(op.__name__, op.label, op.formula, tuple(op.inputs), dict(op.local), summary)
