"""Named errors. Each is also a built-in class, the one PyTorch raises, so `except RuntimeError` still works.

A message opens with the phrase one would search for, then says what was got, what was expected,
where, and the next step.
"""

from __future__ import annotations

__all__ = [
    "BadResult",
    "ClassroomError",
    "ConversionError",
    "CopyError",
    "DTypeError",
    "DeviceError",
    "DimensionError",
    "DimensionTypeError",
    "EmptyReductionError",
    "ExerciseError",
    "FreedGraphError",
    "FreedGraphWarning",
    "GradError",
    "GradTypeError",
    "HookError",
    "HookTypeError",
    "HyperparameterError",
    "InPlaceError",
    "InPlaceTypeError",
    "IndexingError",
    "InferenceError",
    "MemoryLimit",
    "MissingFunction",
    "MissingPackageError",
    "NegativeStepError",
    "NoGradRootError",
    "NoGradRootWarning",
    "NonLeafGradWarning",
    "NonScalarError",
    "NotATensorError",
    "OutputLimit",
    "RaggedError",
    "RangeError",
    "RenderError",
    "ShapeError",
    "StateDictError",
    "StudentCrashed",
    "StudentError",
    "StudentExited",
    "StudentFailure",
    "StudentTimeout",
    "SubmissionError",
    "TargetError",
    "TensorPlayError",
    "TraceError",
    "UnsupportedDTypeError",
    "UnusedInputError",
    "VersionError",
]


class TensorPlayError(Exception):
    """Base of all errors raised on purpose by tensorplay."""


# ------------------------------------------------------------------------------- values and shapes


class ShapeError(TensorPlayError, RuntimeError):
    """Shapes do not fit together."""


class TargetError(ShapeError, ValueError):
    """A loss's target does not belong to its scores."""


class DimensionError(TensorPlayError, IndexError):
    """A dimension is out of range."""


class DimensionTypeError(TensorPlayError, TypeError):
    """A dimension is not given as a whole number."""


class IndexingError(TensorPlayError, IndexError):
    """An index is out of bounds or of a kind that cannot index."""


class NotATensorError(TensorPlayError, TypeError):
    """Something else stands where a tensor is needed."""


class NegativeStepError(TensorPlayError, ValueError):
    """A slice with a negative step."""


class DTypeError(TensorPlayError, RuntimeError):
    """A dtype cannot be used here."""


class ConversionError(TensorPlayError, RuntimeError):
    """A tensor cannot become a Python number, a bool or an array."""


class CopyError(TensorPlayError, RuntimeError):
    """Something with history cannot be copied."""


class EmptyReductionError(TensorPlayError, RuntimeError):
    """A reduction without a neutral element met a tensor of size 0."""


# ---------------------------------------------------------------------------------------- autograd


class GradError(TensorPlayError, RuntimeError):
    """A gradient, a seed or a `.grad` does not fit."""


class GradTypeError(TensorPlayError, TypeError):
    """A gradient or a seed is not a tensor."""


class NonScalarError(GradError):
    """`backward()` without a vector on something with more or fewer than one element."""


class NoGradRootError(GradError):
    """A root of backward has no history."""


class UnusedInputError(GradError):
    """A gradient was asked for with respect to something the output does not depend on."""


class FreedGraphError(GradError):
    """A backward pass reached a node whose saved tensors are gone."""


class VersionError(GradError):
    """A saved tensor was changed in place before its gradient was computed."""


class InPlaceError(TensorPlayError, RuntimeError):
    """An in-place operation is not allowed on this tensor."""


class InPlaceTypeError(TensorPlayError, TypeError):
    """Something that is no tensor and no number was to be written into a tensor."""


class InferenceError(TensorPlayError, RuntimeError):
    """An inference tensor was used where history or versions are needed."""


class HookError(TensorPlayError, RuntimeError):
    """A hook cannot be registered, or returned something that does not fit."""


class HookTypeError(TensorPlayError, TypeError):
    """A hook returned something that is no tensor."""


# ---------------------------------------------------------------------------------------- warnings


class FreedGraphWarning(UserWarning):
    """`backward()` was called again on a graph that is already freed; nothing changed."""


class NoGradRootWarning(UserWarning):
    """A root of `backward` needs no gradient and was skipped."""


class NonLeafGradWarning(UserWarning):
    """`.grad` of a tensor that is no leaf was read."""


# ------------------------------------------------------------------------ making tensors, training


class DeviceError(TensorPlayError, RuntimeError):
    """A device is not there."""


class HyperparameterError(TensorPlayError, ValueError):
    """A learning rate, a momentum, a batch size… is outside its range."""


class MissingPackageError(TensorPlayError, ImportError):
    """An optional library is needed here and is not installed."""


class RaggedError(TensorPlayError, ValueError):
    """Nested lists whose rows differ in length cannot be a tensor."""


class RangeError(TensorPlayError, RuntimeError):
    """The bounds of a range contradict each other."""


class StateDictError(TensorPlayError, RuntimeError, ValueError):
    """A saved state does not fit what it is loaded into."""


class UnsupportedDTypeError(DTypeError, TypeError):
    """An array of a kind that no tensor can hold."""


# ---------------------------------------------------------------------------------------- pictures


class RenderError(TensorPlayError, RuntimeError):
    """A picture cannot be drawn in the asked-for way; the message names the remedy."""


class TraceError(TensorPlayError, ValueError):
    """A recorded trace cannot be read, or cannot be written in this form."""


# --------------------------------------------------------------------------------------- classroom


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
