"""Recording: listen to the engine's events and keep plain copies of them as a Trace.

A recorder never changes a result: it reads arrays, copies what it keeps, and holds no reference to anything
live once the block has ended.
"""

from __future__ import annotations

import re
import sys
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from ..events import Subscription, subscribe
from ..tensor import Tensor
from .names import caller, caller_names
from .recorder import Recorder
from .trace import Trace
from .value import Keeper

if TYPE_CHECKING:
    from .stepper import Stepper

__all__ = ["Recording", "record", "step"]

_WHOLE = {"auto": 64, "all": sys.maxsize, "summary": 0}


def record(
    *, values: str = "auto", budget: int | str = "64MB", source: bool = True, limit: int = 50_000, title: str = ""
) -> Recording:
    """Record everything in a `with` block; the Trace it gives is filled when the block ends.

    `values`: "auto" keeps all numbers of arrays with up to 64 elements and summarises larger ones, "all" keeps
    every number while the `budget` lasts, "summary" keeps none. `source=False` skips the lines of the program.
    At most `limit` steps are kept. `trace.left_out` says what was not. Raises ValueError or TypeError for settings
    it cannot read.

    >>> import tensorplay as tp
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> with tp.viz.record() as trace:
    ...     b = x * 3
    ...     y = b * x + b
    ...     y.backward()
    >>> trace.at(-1).grads["t1"].numbers
    (15.0,)
    """
    if not isinstance(values, str) or values not in _WHOLE:
        raise ValueError(f'values must be "auto", "all" or "summary", got {values!r}')
    if not isinstance(limit, int) or limit < 0:
        raise ValueError(f"limit must be a number of steps, 0 or more, got {limit!r}")
    if not isinstance(title, str):
        raise TypeError(f"title must be text, got {type(title).__name__}")
    return Recording(_WHOLE[values], _bytes(budget), source, limit, title)


def step(loss: Any, gradient: Any = None, **backward_args: Any) -> Stepper:
    """Run `loss.backward(gradient, **backward_args)` under a recorder and return the player of that pass.

    The graph may have been made before: what its operations computed is then shown as "not recorded", because
    nodes do not hold their results. Use `record()` around the forward pass to see them.

    >>> import tensorplay as tp
    >>> x = tp.tensor(3.0, requires_grad=True)
    >>> player = tp.viz.step(x * x)
    >>> player.trace.at(-1).grads["t1"].numbers
    (6.0,)
    """
    from .stepper import Stepper

    if not isinstance(loss, Tensor):
        raise TypeError(f"step() runs the backward of a tensor, as in step(loss); got {type(loss).__name__}")
    recording = record()
    with recording as trace:
        loss.backward(gradient, **backward_args)
    return Stepper(trace)


class Recording:
    """An open or finished recording; `with record() as trace` gives its Trace."""

    def __init__(self, whole: int, budget: int, source: bool, limit: int, title: str) -> None:
        self.trace = Trace()
        self._recorder = Recorder(Keeper(whole, budget), limit, source)
        self._source = source
        self._title = title
        self._frame: FrameType | None = None
        self._subscription: Subscription | None = None

    def __enter__(self) -> Trace:
        if self._subscription is not None:
            raise RuntimeError("this recording was used before: call record() again for a new one")
        self._frame = caller()
        self._subscription = subscribe(self._recorder, source=self._source)
        return self.trace

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._subscription is not None
        self._subscription.remove()
        frame, self._frame = self._frame, None
        self._recorder.fill(self.trace, *caller_names(frame), self._title)
        del self._recorder


def _bytes(budget: int | str) -> int:
    """A number of bytes, or text such as "64MB"."""
    if isinstance(budget, int) and budget >= 0:
        return budget
    match = (
        re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b", budget.strip().lower()) if isinstance(budget, str) else None
    )
    if match is None:
        raise ValueError(f'budget must be a number of bytes or text such as "64MB", got {budget!r}')
    return int(float(match[1]) * (1024 if match[3] else 1000) ** " kmg".index(match[2] or " "))
