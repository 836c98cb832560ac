"""Logic of truth values, and of the bits of whole numbers. It has no gradient and is not recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..arrays.dtypes import result_dtype
from ..errors import UnsupportedDTypeError
from ..lifting import values
from ..operands import as_operand, need_tensors
from ..tensor import Tensor

__all__ = [
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "logical_and", "logical_not", "logical_or", "logical_xor",
]  # fmt: skip


# --------------------------------------------------------------------------------------- truth values


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Where neither is 0; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.logical_and(tp.tensor([0, 1, 2]), tp.tensor([True, False, True]))
    tensor([False, False,  True])
    """
    return _of_truth(np.logical_and, input, other)


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Where one of the two is not 0, or both; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.logical_or(tp.tensor([0, 1, 2]), tp.tensor([False, False, True]))
    tensor([False,  True,  True])
    """
    return _of_truth(np.logical_or, input, other)


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Where just one of the two is not 0; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.logical_xor(tp.tensor([0, 1, 2]), tp.tensor([False, False, True]))
    tensor([False,  True, False])
    """
    return _of_truth(np.logical_xor, input, other)


def logical_not(input: Tensor) -> Tensor:
    """Where the element is 0.

    >>> import tensorplay as tp
    >>> tp.logical_not(tp.tensor([0.0, 1.5]))
    tensor([ True, False])
    """
    need_tensors("logical_not", input=input)
    return values(np.logical_not, input)


def _of_truth(function: Any, input: Any, other: Any) -> Tensor:
    need_tensors(function.__name__, input=input, other=other)
    return values(_explained(function), input, other)


def _explained(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(x: Any, y: Any) -> Any:
        try:
            return function(x, y)
        except ValueError as error:
            raise ops.Add.explain((x, y), {}, error) from None

    return run


# ----------------------------------------------------------------------------------------------- bits


def bitwise_and(input: Any, other: Any) -> Tensor:
    """The bits that both have, in the common dtype; of bool tensors the logical and. It is `input & other`.

    One of the two may be a number; shapes broadcast. Raises UnsupportedDTypeError for floating or complex numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_and(tp.tensor([5, 6]), 3)
    tensor([1, 2])
    """
    return _of_bits(np.bitwise_and, "biu", input, other)


def bitwise_or(input: Any, other: Any) -> Tensor:
    """The bits that one of the two has, in the common dtype; of bool tensors the logical or. It is `input | other`.

    One of the two may be a number; shapes broadcast. Raises UnsupportedDTypeError for floating or complex numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_or(tp.tensor([5, 6]), 3)
    tensor([7, 7])
    """
    return _of_bits(np.bitwise_or, "biu", input, other)


def bitwise_xor(input: Any, other: Any) -> Tensor:
    """The bits that just one of the two has, in the common dtype; of bool tensors where they differ: `input ^ other`.

    One of the two may be a number; shapes broadcast. Raises UnsupportedDTypeError for floating or complex numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_xor(tp.tensor([5, 6]), 3)
    tensor([6, 5])
    """
    return _of_bits(np.bitwise_xor, "biu", input, other)


def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """The bits moved to the left, input · 2^other while there is room; it is `input << other`.

    One of the two may be a number; shapes broadcast. Raises UnsupportedDTypeError unless they are whole numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_left_shift(tp.tensor([1, 5]), 2)
    tensor([ 4, 20])
    """
    return _of_bits(np.left_shift, "iu", input, other)


def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """The bits moved to the right, ⌊input / 2^other⌋; it is `input >> other`.

    One of the two may be a number; shapes broadcast. Raises UnsupportedDTypeError unless they are whole numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_right_shift(tp.tensor([9, -9]), 2)
    tensor([ 2, -3])
    """
    return _of_bits(np.right_shift, "iu", input, other)


def bitwise_not(input: Tensor) -> Tensor:
    """Every bit turned, -input - 1 of a signed number; of bool tensors the logical not. It is `~input`.

    Raises UnsupportedDTypeError for floating or complex numbers.

    >>> import tensorplay as tp
    >>> tp.bitwise_not(tp.tensor([True, False]))
    tensor([False,  True])
    """
    need_tensors("bitwise_not", input=input)
    if input._array.dtype.kind not in "iub":
        raise UnsupportedDTypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {input.dtype}: "
            "a mask comes from a comparison, as in ~(x > 0); the opposite number is -x"
        )
    return values(np.invert, input)


def _of_bits(function: Any, kinds: str, input: Any, other: Any) -> Tensor:
    name = function.__name__ if function.__name__.startswith("bitwise") else f"bitwise_{function.__name__}"
    first, second = as_operand(name, "input", input), as_operand(name, "other", other)
    dtype = result_dtype(first._array, second._array)
    if dtype.kind not in kinds:
        raise UnsupportedDTypeError(
            f"{name} is not implemented for {dtype.name} numbers, only for whole ones"
            f"{' and bools' if 'b' in kinds else ''}: masks come from comparisons, as in (x > 0) & (x < 1); "
            "x.long() makes whole numbers"
        )
    run = _explained(function)
    return values(lambda x, y: run(x.astype(dtype, copy=False), y.astype(dtype, copy=False)), first, second)
