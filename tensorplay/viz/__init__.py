"""Pictures of what the engine does: still ones, and ones to step through.

    tp.viz.show(loss)                     the graph behind a result
    with tp.viz.record() as trace: ...    everything a block does, as plain data
    tp.viz.stepper(trace)                 the player of a trace
    tp.viz.step(loss)                     run the backward and play it

Everything here reads frozen records; nothing can change a result.
"""

from __future__ import annotations

from .dot import make_dot
from .picture import GraphPicture, show
from .record import record, step
from .render import config
from .stepper import Stepper, stepper
from .trace import Trace

__all__ = ["GraphPicture", "Stepper", "Trace", "config", "make_dot", "record", "show", "step", "stepper"]
