"""A function that is run twice: once in the forward, and again when backward asks for what it saved.

`Frame` is one checkpointed call. Its first run is recorded, but what the nodes would save is replaced by a
placeholder each. The first placeholder that backward opens sets off a `_Repetition`, which fills them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any
from weakref import ref

from .. import events, random
from ..autograd.lines import modified
from ..autograd.modes import inference_mode
from ..autograd.saved import pack, saved_tensors_hooks
from ..errors import CheckpointError, VersionError
from ..tensor import Tensor, edge_of, with_edge

__all__ = ["Context", "Frame", "same_random_numbers"]

Context = AbstractContextManager[Any]


@contextmanager
def same_random_numbers(state: tuple[int, int] | None) -> Iterator[None]:
    """The random numbers of the first run inside, those of the program again afterwards."""
    if state is None:
        yield
        return
    outside = random.default_generator.position()
    random.default_generator.go_to(state)
    try:
        yield
    finally:
        random.default_generator.go_to(outside)


class _Enough(BaseException):
    """Ends a repetition that has computed all that is needed. No error, and not for `except Exception`."""


class _Holder:
    """Stands in a node for a saved tensor; `value` is that tensor and its version between repetition and use.

    Nodes own their holders, so what a repetition computed goes when its node is freed.
    """

    __slots__ = ("__weakref__", "value")

    def __init__(self) -> None:
        self.value: tuple[Tensor, int] | None = None


class _Input:
    """An argument of the function, to be given to it again.

    Inside another checkpoint, a tensor that was computed there is left to that one's hooks: it would be the
    very memory that the outer checkpoint means to save.
    """

    __slots__ = ("edge", "name", "packed", "value", "version")

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value, self.packed = name, value, None
        self.version = value._cell[0] if isinstance(value, Tensor) and value._cell is not None else None
        if self.version is not None:
            self.edge = edge_of(value)
            self.packed = None if self.edge is value else pack(value)
            if self.packed is not None:
                self.value = None

    def get(self) -> Any:
        """The argument as it was; a VersionError if it was edited since."""
        if self.packed is not None:
            return with_edge(self.packed.open(self.edge), self.edge)
        if self.version is not None and self.value._cell[0] != self.version:
            raise _edited(f"{self.name} of a checkpointed function", self.version, self.value._cell[0])
        return self.value


class Frame:
    """One checkpointed call: how to repeat it, and the placeholders to fill."""

    def __init__(
        self,
        function: Callable[..., Any],
        state: tuple[int, int] | None,
        *,
        compare: bool,
        early_stop: bool,
        debug: bool,
    ) -> None:
        self.function, self.state = function, state
        self.compare, self.early_stop, self.debug = compare, early_stop, debug
        self.complete = False
        """Whether the first run has returned; a backward inside the function repeats what there is so far."""
        self.holders: list[ref[_Holder]] = []
        self.saved: list[tuple[Any, ...]] = []
        """Shape and dtype of each tensor that the first run saved."""
        self.operations: list[str] = []

    def run(self, context_fn: Callable[[], tuple[Context, Context]], args: Any, kwargs: Any) -> Any:
        """The first run, recorded."""
        first, self.again = context_fn()
        self.args = [_Input(f"argument {i}", value) for i, value in enumerate(args)]
        self.kwargs = {name: _Input(f"argument {name!r}", value) for name, value in kwargs.items()}
        with first, self.noted(self.operations), saved_tensors_hooks(self.pack, self.unpack):
            out = self.function(*args, **kwargs)
        self.complete = True
        return out

    def noted(self, names: list[str]) -> Context:
        """Collects the names of the operations inside, if wanted."""

        def note(event: Any) -> None:
            names.append(event.op.__name__)

        return events.listening(note, events.OpExecuted) if self.debug else nullcontext()

    def pack(self, tensor: Tensor) -> _Holder:
        """A placeholder, and what will have to be the same the second time."""
        holder = _Holder()
        self.holders.append(ref(holder))
        self.saved.append((tensor.shape, tensor.dtype))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """What the placeholder stands for, computed again if it is not there."""
        if holder.value is None:
            self.repeat()
        assert holder.value is not None
        (tensor, version), holder.value = holder.value, None  # used once: memory goes as backward proceeds
        if tensor._cell is not None and tensor._cell[0] != version:
            raise _edited("a tensor saved in a checkpointed function", version, tensor._cell[0])
        return tensor

    def repeat(self) -> None:
        """Run the function again and fill the placeholders."""
        args = [a.get() for a in self.args]
        kwargs = {name: a.get() for name, a in self.kwargs.items()}
        repetition = _Repetition(self)
        with ExitStack() as stack:
            stack.enter_context(inference_mode(False))  # recording is on, as it was
            stack.enter_context(same_random_numbers(self.state))
            stack.enter_context(self.again)
            stack.enter_context(self.noted(repetition.operations))
            stack.enter_context(saved_tensors_hooks(repetition.pack, repetition.unpack))
            stack.enter_context(suppress(_Enough))
            self.function(*args, **kwargs)
        repetition.check()


class _Repetition:
    """What a checkpointed function saves when it runs again."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.saved: list[tuple[Any, ...]] = []
        self.operations: list[str] = []

    def pack(self, tensor: Tensor) -> Tensor:
        """Fill the next placeholder, if its node is still there to ask for it."""
        wanted, place = self.frame.holders, len(self.saved)
        if place < len(wanted):
            self.saved.append((tensor.shape, tensor.dtype))
            holder = wanted[place]()
            if holder is not None:
                kept = tensor.detach()
                holder.value = (kept, 0 if kept._cell is None else kept._cell[0])
            if self.frame.early_stop and len(self.saved) == len(wanted):
                raise _Enough
        elif self.frame.complete:
            raise CheckpointError(
                "checkpoint: trying to save more tensors during recomputation than during the original forward pass "
                f"({len(wanted)}). {self.advice()}"
            )
        return tensor

    @staticmethod
    def unpack(tensor: Tensor) -> Tensor:
        """The repetition keeps what it saves: a backward inside the function needs it at once."""
        return tensor

    def check(self) -> None:
        """Raise CheckpointError unless the repetition has saved what the first run did."""
        before, now = self.frame.saved, self.saved
        if len(now) < len(before):
            raise CheckpointError(
                "checkpoint: A different number of tensors was saved during the original forward and recomputation: "
                f"{len(before)} in the forward, {len(now)} in the recomputation. {self.advice()}"
            )
        wrong = [i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b]
        if self.frame.compare and wrong:
            i = wrong[0]
            raise CheckpointError(
                "checkpoint: Recomputed values for the following tensors have different metadata than during the "
                f"forward pass: tensor {i} had {_described(before[i])} then and has {_described(now[i])} now. "
                f"{self.advice()}"
            )

    def advice(self) -> str:
        """The next step for whoever sees the runs differ."""
        if not self.frame.debug:
            return (
                "The function must do the same each time: look for a global that changes, or a random choice that is "
                "not made by tensorplay. debug=True names the operations of both runs."
            )
        runs = {"forward": self.frame.operations, "recomputation": self.operations}
        return " ".join(f"Operations of the {name}: {', '.join(ops) or 'none'}." for name, ops in runs.items())


def _described(meta: tuple[Any, ...]) -> str:
    return f"shape {list(meta[0])} and dtype {meta[1]}"


def _edited(what: str, before: int, now: int) -> VersionError:
    return modified(
        f"{what} was at version {before} and is now at version {now}, so the function cannot be repeated as it ran"
    )
