"""Which line of the user's program a step belongs to."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

from ..events import Source
from ..source import user_frame, user_line
from .steps import Line

__all__ = ["Lines", "plain_source", "running_frame"]


class Lines:
    """The lines met so far, each once, in the order they were met."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.all: list[Line] = []
        self._index: dict[tuple[str, int], int] = {}

    def add(self, source: Source | None) -> int | None:
        """The index of a line, None where none is known or wanted."""
        source = plain_source(source)
        if source is None or not self.wanted:
            return None
        key = (source.filename, source.lineno)
        if key not in self._index:
            self._index[key] = len(self.all)
            self.all.append(Line(source.filename, source.lineno, source.function, source.text.strip()))
        return self._index[key]

    def here(self) -> int | None:
        """The line of the user's program that is running now."""
        frame = running_frame()
        return self.add(user_line(frame)) if self.wanted and frame is not None else None


def running_frame() -> FrameType | None:
    """The user's frame that is running."""
    return user_frame(sys._getframe(1))


def plain_source(source: Source | None) -> Source | None:
    """A line without its folder, so that a trace is the same wherever it was recorded."""
    if source is None:
        return None
    cell = re.search(r"ipykernel_|<ipython-input", source.filename)
    return source._replace(filename="notebook cell" if cell else Path(source.filename).name)
