"""Errors and warnings about the graph: recording, edits, backward passes, hooks, transforms."""

from __future__ import annotations

from .base import TensorPlayError

__all__ = [
    "AnomalyWarning",
    "CheckpointArgumentError",
    "CheckpointError",
    "CheckpointWarning",
    "DerivativeError",
    "EscapedTensorError",
    "ForwardADError",
    "ForwardADValueError",
    "FreedGraphError",
    "FreedGraphWarning",
    "FunctionError",
    "FunctionTypeError",
    "FunctionalError",
    "FunctionalTypeError",
    "GradArgumentError",
    "GradError",
    "GradOptionError",
    "GradTypeError",
    "GradcheckError",
    "GradcheckInputError",
    "GradcheckUsageError",
    "HookError",
    "HookModeError",
    "HookTypeError",
    "HooksDroppedWarning",
    "InPlaceError",
    "InPlaceTypeError",
    "InferenceError",
    "MissingRuleError",
    "ModeTypeError",
    "MultiGradHookError",
    "MutationContextError",
    "NanGradientError",
    "NoGradRootError",
    "NoGradRootWarning",
    "NonLeafGradWarning",
    "NonScalarError",
    "NotCallableError",
    "ParametrizeError",
    "RandomnessError",
    "SavedHooksError",
    "SavedHooksTypeError",
    "SavedNameError",
    "StrategyError",
    "TransformError",
    "TransformInputError",
    "TransformTypeError",
    "UnusedInputError",
    "VersionError",
    "VersionTypeError",
    "VmapError",
    "VmapReadError",
]

# ------------------------------------------------------------------------------------------ autograd


class GradError(TensorPlayError, RuntimeError):
    """A gradient, a seed or a `.grad` does not fit."""


class GradTypeError(TensorPlayError, TypeError):
    """A gradient or a seed is not a tensor."""


class GradArgumentError(GradTypeError, RuntimeError):
    """Something that is neither a tensor nor a gradient edge was to be differentiated, or to differentiate by."""


class GradOptionError(TensorPlayError, ValueError):
    """Options of `grad` contradict each other."""


class NonScalarError(GradError):
    """`backward()` without a vector on something with more or fewer than one element."""


class NoGradRootError(GradError):
    """A root of backward has no history."""


class UnusedInputError(GradError):
    """A gradient was asked for with respect to something the output does not depend on."""


class DerivativeError(GradError):
    """An operation that has no derivative stands between a root and its leaves."""


class FreedGraphError(GradError):
    """A backward pass reached a node whose saved tensors are gone."""


class VersionError(GradError):
    """A saved tensor was changed in place before its gradient was computed."""


class VersionTypeError(TensorPlayError, RuntimeError, TypeError):
    """Something that is no tensor was to get a new version."""


class InPlaceError(TensorPlayError, RuntimeError):
    """An in-place operation is not allowed on this tensor."""


class InPlaceTypeError(TensorPlayError, TypeError):
    """Something that is no tensor and no number was to be written into a tensor."""


class InferenceError(TensorPlayError, RuntimeError):
    """An inference tensor was used where history or versions are needed."""


class FunctionError(TensorPlayError, RuntimeError):
    """A custom Function does not keep to the rules of `Function`."""


class FunctionTypeError(TensorPlayError, TypeError):
    """A custom Function is given, or saves, something of a kind that does not belong there."""


class MissingRuleError(FunctionError, NotImplementedError):
    """A custom Function lacks the method that is needed here."""


class HookError(TensorPlayError, RuntimeError):
    """A hook cannot be registered, or returned something that does not fit."""


class HookTypeError(TensorPlayError, TypeError):
    """A hook returned something that is no tensor."""


class HookModeError(TensorPlayError, ValueError):
    """`register_multi_grad_hook` knows the modes "all" and "any"."""


class MultiGradHookError(HookError, AssertionError):
    """A hook for several tensors was to be registered on one that needs no gradient."""


class SavedHooksError(TensorPlayError, RuntimeError):
    """Hooks for saved tensors cannot be used here, or do not behave."""


class SavedHooksTypeError(TensorPlayError, TypeError):
    """A hook for saved tensors was given, or returned, something that is no tensor."""


class SavedNameError(TensorPlayError, AttributeError):
    """A node was asked for a saved tensor that its operation never keeps."""


class MutationContextError(TensorPlayError, AssertionError):
    """A graph made in `allow_mutation_on_saved_tensors` was used outside of its block."""


class NotCallableError(TensorPlayError, TypeError):
    """A function was expected."""


class ModeTypeError(TensorPlayError, TypeError):
    """A switch was given something that is no bool."""


class NanGradientError(GradError):
    """Anomaly mode found NaN in what an operation's rule returned."""


class CheckpointError(TensorPlayError, RuntimeError):
    """A checkpointed function could not be repeated in the backward pass as it ran in the forward."""


class CheckpointArgumentError(TensorPlayError, ValueError):
    """`checkpoint` was given options that do not exist, or not in this combination."""


class GradcheckError(TensorPlayError, RuntimeError):
    """A derivative is not what finite differences say, or a backward does not behave like one."""


class GradcheckInputError(TensorPlayError, ValueError, RuntimeError):
    """Inputs that gradcheck cannot perturb, or none that it should."""


class GradcheckUsageError(TensorPlayError, AssertionError):
    """Options of gradcheck contradict each other, or the function's results change their shape."""


class FunctionalError(TensorPlayError, RuntimeError):
    """A function or a vector given to `jacobian`, `vjp`, … does not fit, or fails in strict mode."""


class FunctionalTypeError(TensorPlayError, TypeError):
    """What is given to `jacobian`, `vjp`, … or returned by its function is no tensor and no tuple of them."""


class StrategyError(TensorPlayError, NotImplementedError, AssertionError):
    """A strategy of `jacobian` or `hessian` that does not exist, or not in this combination."""


# ---------------------------------------------------------------------------------------- transforms


class EscapedTensorError(TensorPlayError, RuntimeError):
    """A tensor from inside `vmap` was used after that `vmap` had returned."""


class ForwardADError(TensorPlayError, RuntimeError):
    """A dual tensor cannot be made, or a dual level cannot be entered or left."""


class ForwardADValueError(TensorPlayError, ValueError):
    """A primal or a tangent is not of floating or complex dtype."""


class ParametrizeError(TensorPlayError, RuntimeError):
    """`functional_call` was given names that do not fit the module."""


class RandomnessError(TensorPlayError, RuntimeError):
    """A random function was called inside `vmap`, which was not told what that is to mean."""


class TransformError(TensorPlayError, RuntimeError):
    """A function given to `tp.func` did not take or return what the transform needs."""


class TransformTypeError(TensorPlayError, TypeError, RuntimeError):
    """A product with a Jacobian was asked for with something that is no tensor."""


class TransformInputError(TensorPlayError, ValueError):
    """A transform of `tp.func` was given something to differentiate by that is no tensor."""


class VmapError(TensorPlayError, ValueError):
    """`vmap` cannot map over these inputs, or return these outputs."""


class VmapReadError(TensorPlayError, RuntimeError):
    """A number was to be read from a tensor that `vmap` maps over."""


# ------------------------------------------------------------------------------------------ warnings


class FreedGraphWarning(UserWarning):
    """`backward()` was called again on a graph that is already freed; nothing changed."""


class AnomalyWarning(UserWarning):
    """Anomaly mode was switched on, or shows where the operation that failed was made."""


class CheckpointWarning(UserWarning):
    """A checkpoint that cannot send gradients anywhere."""


class HooksDroppedWarning(UserWarning):
    """A tensor with hooks was copied or pickled; the copy has none."""


class NoGradRootWarning(UserWarning):
    """A root of `backward` needs no gradient and was skipped."""


class NonLeafGradWarning(UserWarning):
    """`.grad` of a tensor that is no leaf was read."""
