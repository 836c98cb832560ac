"""Errors about what a tensor holds: shapes, dtypes, indices, numbers, and how tensors are made and trained."""

from __future__ import annotations

from .base import TensorPlayError

__all__ = [
    "ArgumentTypeError",
    "BagError",
    "BagWeightsError",
    "BoundsError",
    "ConversionError",
    "CopyError",
    "DTypeError",
    "DataError",
    "DeviceError",
    "DimensionError",
    "DimensionTypeError",
    "EinsumError",
    "EmbeddingError",
    "EmptyListError",
    "EmptyReductionError",
    "HyperparameterError",
    "IndexTypeError",
    "IndexingError",
    "LinAlgError",
    "MembershipError",
    "MissingPackageError",
    "NegativeStepError",
    "NestingError",
    "NormOrderError",
    "NotATensorError",
    "PaddingModeError",
    "PositionError",
    "ProductModeError",
    "RaggedError",
    "RangeError",
    "ScalarError",
    "ShapeError",
    "SingleNumberError",
    "StateDictError",
    "TargetError",
    "ToleranceError",
    "UnsupportedDTypeError",
]

# --------------------------------------------------------------------------------- values and shapes


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


class PositionError(IndexingError, RuntimeError):
    """An index tensor holds a position that does not exist along the dimension it picks from."""


class PaddingModeError(TensorPlayError, NotImplementedError):
    """A way of padding that is not known, or not for this many dimensions."""


class IndexTypeError(IndexingError, TypeError):
    """A thing that is no index at all, such as a text."""


class ArgumentTypeError(TensorPlayError, TypeError):
    """Arguments that do not go together."""


class LinAlgError(TensorPlayError, RuntimeError):
    """A matrix that cannot be inverted, solved with or taken apart: singular, or not positive-definite."""


class EinsumError(ShapeError, ValueError):
    """An equation of einsum that cannot be read, or does not fit its operands."""


class ProductModeError(TensorPlayError, ValueError):
    """A way of computing that a product does not know."""


class NormOrderError(TensorPlayError, RuntimeError):
    """An order for which there is no norm here."""


class NotATensorError(TensorPlayError, TypeError):
    """Something else stands where a tensor is needed."""


class MembershipError(NotATensorError, RuntimeError):
    """`in` was asked about a thing that cannot be in a tensor."""


class NegativeStepError(TensorPlayError, ValueError):
    """A slice with a negative step."""


class BoundsError(TensorPlayError, RuntimeError):
    """Numbers are to be held between bounds, and none is given."""


class ToleranceError(TensorPlayError, RuntimeError):
    """A tolerance is negative."""


class DTypeError(TensorPlayError, RuntimeError):
    """A dtype cannot be used here."""


class ConversionError(TensorPlayError, RuntimeError):
    """A tensor cannot become a Python number, a bool or an array."""


class ScalarError(ConversionError, ValueError):
    """A tensor of several elements, or of none, is no Python number."""


class SingleNumberError(TensorPlayError, TypeError):
    """A 0-d tensor has no elements to count or to go through."""


class CopyError(TensorPlayError, RuntimeError):
    """Something with history cannot be copied."""


class EmptyListError(TensorPlayError, ValueError, RuntimeError):
    """An operation that joins tensors was given none."""


class EmptyReductionError(TensorPlayError, RuntimeError, IndexError):
    """A reduction without a neutral element met a tensor of size 0. With `dim`, PyTorch raises an IndexError."""


# -------------------------------------------------------------------------- making tensors, training


class EmbeddingError(TensorPlayError, AssertionError, RuntimeError):
    """A padding index, or a table of embeddings, that does not fit the sizes given."""


class BagError(TensorPlayError, ValueError):
    """Bags of embeddings that do not fit their numbers: offsets, weights or a mode that is none."""


class BagWeightsError(TensorPlayError, NotImplementedError):
    """Bags of embeddings whose mode knows no weights."""


class DeviceError(TensorPlayError, RuntimeError):
    """A device is not there."""


class HyperparameterError(TensorPlayError, ValueError):
    """A learning rate, a momentum, a batch size… is outside its range."""


class MissingPackageError(TensorPlayError, ImportError):
    """An optional library is needed here and is not installed."""


class RaggedError(TensorPlayError, ValueError):
    """Nested lists whose rows differ in length cannot be a tensor."""


class NestingError(RaggedError, TypeError):
    """A list stands where other rows have a number."""


class DataError(TensorPlayError, TypeError, ValueError):
    """Something is no number, or none of the dtype asked for."""


class RangeError(TensorPlayError, RuntimeError):
    """The bounds of a range contradict each other."""


class StateDictError(TensorPlayError, RuntimeError, ValueError):
    """A saved state does not fit what it is loaded into."""


class UnsupportedDTypeError(DTypeError, TypeError):
    """An array of a kind that no tensor can hold."""
