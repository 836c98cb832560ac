"""Errors of modules, optimizers and data: what students meet when they put a training loop together."""

from __future__ import annotations

from .base import TensorPlayError
from .graph import CheckpointArgumentError, ParametrizeError
from .values import DTypeError, HyperparameterError, NotATensorError, ShapeError, StateDictError

__all__ = [
    "BetasError",
    "CheckpointTypeError",
    "CollateError",
    "CollateKeyError",
    "ContinuousDTypeError",
    "DataArgumentError",
    "DatasetSizeError",
    "DefaultsError",
    "EmptyBatchError",
    "FanError",
    "HyperparameterTypeError",
    "MissingLengthError",
    "MissingMethodError",
    "ModuleNameError",
    "ModuleTypeError",
    "OptimizerTypeError",
    "ParamGroupError",
    "ParametrizeTypeError",
    "RandomDTypeError",
    "StateDictKeyError",
    "StateDictTypeError",
    "StepHookError",
    "SubmoduleError",
    "TensorExpectedError",
    "TrainingModeError",
]


class _Spoken(KeyError):
    """A KeyError shows its message in quotes, with every line break escaped; these show it as it is."""

    def __str__(self) -> str:
        return Exception.__str__(self)


# ----------------------------------------------------------------------------------------- modules


class FanError(ShapeError, ValueError):
    """A weight of fewer than two dimensions has no inputs and outputs to count."""


class MissingMethodError(TensorPlayError, NotImplementedError):
    """A method that every subclass writes for itself is not written."""


class ModuleNameError(TensorPlayError, _Spoken):
    """A parameter, a buffer or a submodule cannot have this name."""


class ModuleTypeError(TensorPlayError, TypeError):
    """Something else stands where a module needs a parameter, a buffer, a submodule or its number."""


class ParametrizeTypeError(ParametrizeError, ValueError, AttributeError):
    """`functional_call` was given no module, no dict of tensors, or two values for one parameter."""


class ContinuousDTypeError(DTypeError):
    """Whole numbers are asked for from a distribution of all numbers."""


class RandomDTypeError(DTypeError, NotImplementedError):
    """Random numbers of this kind do not exist in this dtype."""


class SubmoduleError(TensorPlayError, AttributeError):
    """There is no submodule at this path."""


class TensorExpectedError(NotATensorError, AttributeError):
    """Something else stands where a method of a tensor is needed."""


class TrainingModeError(TensorPlayError, ValueError):
    """`train` was given something that is no bool."""


# -------------------------------------------------------------------------------------- optimizers


class HyperparameterTypeError(TensorPlayError, TypeError):
    """A learning rate, a bound of starting values… is no number."""


class BetasError(HyperparameterError, TypeError, IndexError):
    """The betas of Adam are not two numbers."""


class OptimizerTypeError(TensorPlayError, TypeError):
    """An optimizer was given something that is neither parameters nor groups of them."""


class DefaultsError(OptimizerTypeError, AttributeError):
    """The settings of an optimizer are not given as a dict."""


class ParamGroupError(OptimizerTypeError, _Spoken):
    """A group of parameters has no "params"."""


class StepHookError(TensorPlayError, RuntimeError):
    """A hook of an optimizer's step returned something that are no arguments."""


class StateDictKeyError(StateDictError, _Spoken):
    """A saved state lacks an entry that every such state has, or names a parameter that is not there."""


class StateDictTypeError(TensorPlayError, TypeError, AttributeError):
    """Something else stands where a saved state, or a part of one, is needed."""


# -------------------------------------------------------------------------------------------- data


class DataArgumentError(TensorPlayError, TypeError):
    """A dataset, a sampler, a generator… is of a kind that cannot be used here."""


class CollateError(DataArgumentError, RuntimeError):
    """Samples of these kinds do not make a batch."""


class CollateKeyError(TensorPlayError, _Spoken):
    """A sample lacks a key that the first one of the batch has."""


class DatasetSizeError(ShapeError, AssertionError, IndexError):
    """Tensors that are to stand side by side differ in their number of rows, or have none."""


class EmptyBatchError(TensorPlayError, IndexError):
    """A batch was to be made of no samples."""


class MissingLengthError(MissingMethodError, TypeError):
    """A dataset does not say how many samples it has."""


# -------------------------------------------------------------------------------------- checkpoints


class CheckpointTypeError(CheckpointArgumentError, TypeError):
    """`checkpoint_sequential` was given no functions, or a number of segments that is no whole number."""
