"""Errors of what is built on the engine: pictures and the classroom."""

from __future__ import annotations

from .base import TensorPlayError

__all__ = [
    "BadResult",
    "ClassroomError",
    "ExerciseError",
    "MemoryLimit",
    "MissingFunction",
    "OutputLimit",
    "RenderError",
    "StudentCrashed",
    "StudentError",
    "StudentExited",
    "StudentFailure",
    "StudentTimeout",
    "SubmissionError",
    "TraceError",
]

# ------------------------------------------------------------------------------------------ pictures


class RenderError(TensorPlayError, RuntimeError):
    """A picture cannot be drawn in the asked-for way; the message names the remedy."""


class TraceError(TensorPlayError, ValueError):
    """A recorded trace cannot be read, or cannot be written in this form."""


# ----------------------------------------------------------------------------------------- classroom


class ClassroomError(TensorPlayError, RuntimeError):
    """Grading or checking cannot go on."""


class ExerciseError(ClassroomError):
    """An exercise folder is incomplete, or contradicts itself."""


class SubmissionError(ClassroomError):
    """A submission cannot be read; the message names file and line."""


class StudentFailure(ClassroomError):
    """A call into student code gave no value. `where` tells the lines of the submission, newest last."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


class BadResult(StudentFailure, TypeError):
    """Student code returned something that is not plain data, or too much of it."""


class MemoryLimit(StudentFailure, MemoryError):
    """Student code asked for more memory than it may use."""


class MissingFunction(StudentFailure, AttributeError):
    """The submission does not define what was asked for."""


class OutputLimit(StudentFailure):
    """Student code printed more than it may."""


class StudentCrashed(StudentFailure):
    """The process of the student code ended by a signal, or broke the protocol."""


class StudentError(StudentFailure):
    """Student code raised an exception; `type` is its class name."""

    def __init__(self, message: str, where: str = "", type: str = "") -> None:
        super().__init__(message, where)
        self.type = type


class StudentExited(StudentFailure):
    """Student code ended its own process, or tried to."""


class StudentTimeout(StudentFailure, TimeoutError):
    """Student code ran longer than it may."""
