"""Layers that look rows up in a table: embeddings of numbers, such as words, as vectors that are learned."""

from __future__ import annotations

from typing import Any

from .. import creation
from ..autograd.modes import no_grad
from ..creation import DTypeLike
from ..errors import EmbeddingError
from ..tensor import Tensor
from . import functional, init
from .embedding import padding_of
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


USUAL = {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}


class _Table(Module):
    """What both layers share: the table, how it starts, and the options of a look-up."""

    weight: Parameter

    def _begin(self, sizes: tuple[int, int], padding_idx: int | None, weight: Tensor | None, **made: Any) -> None:
        self.num_embeddings, self.embedding_dim = sizes
        self.padding_idx = None if padding_idx is None else padding_of(padding_idx, sizes[0])
        if weight is None:
            self.weight = Parameter(creation.empty(*sizes, **made))
            self.reset_parameters()
            return
        if tuple(weight.shape) != tuple(sizes):
            raise EmbeddingError(
                f"Shape of weight does not match num_embeddings and embedding_dim: {list(weight.shape)} for "
                f"{list(sizes)}"
            )
        self.weight = Parameter(weight)

    def reset_parameters(self) -> None:
        """Draw new starting values, normally distributed; the padding row is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def _shown(self, *names: str) -> str:
        """The sizes, and those of the options that are not as usual, for the representation."""
        values = {name: getattr(self, name) for name in names}
        shown = (f", {name}={value}" for name, value in values.items() if value != USUAL[name])
        return f"{self.num_embeddings}, {self.embedding_dim}" + "".join(shown)


class Embedding(_Table):
    """A table of `num_embeddings` rows of `embedding_dim` numbers that are learned; the input says which rows.

    The rows start normally distributed; the row `padding_idx` starts as zeros and is not learned. The other options
    are those of `nn.functional.embedding`.

    >>> import tensorplay as tp
    >>> layer = tp.nn.Embedding(10, 3)
    >>> layer(tp.tensor([[1, 2], [4, 9]])).shape
    (2, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self._begin((num_embeddings, embedding_dim), padding_idx, _weight, device=device, dtype=dtype)
        self.weight.requires_grad_(not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A layer over a table that is there already; with `freeze` it is not learned.

        >>> import tensorplay as tp
        >>> tp.nn.Embedding.from_pretrained(tp.tensor([[1.0, 2.0], [3.0, 4.0]]))(tp.tensor(1))
        tensor([3., 4.])
        """
        return cls(
            *_sizes(embeddings), padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze
        )

    def forward(self, input: Tensor) -> Tensor:
        """Shape (…) of whole numbers to (…, embedding_dim)."""
        return functional.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        return self._shown("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")


class EmbeddingBag(_Table):
    """A table as of `Embedding`, whose rows are reduced to one for each bag of numbers: their sum, mean or largest.

    The options are those of `nn.functional.embedding_bag`.

    >>> import tensorplay as tp
    >>> layer = tp.nn.EmbeddingBag(10, 3, mode="sum")
    >>> layer(tp.tensor([1, 2, 4, 9]), tp.tensor([0, 3])).shape
    (2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.mode, self.sparse = scale_grad_by_freq, mode, sparse
        self.include_last_offset = include_last_offset
        self._begin((num_embeddings, embedding_dim), padding_idx, _weight, device=device, dtype=dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A layer over a table that is there already; with `freeze` it is not learned."""
        options: Any = (
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        layer = cls(*_sizes(embeddings), *options)
        layer.weight.requires_grad_(not freeze)
        return layer

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Whole numbers, (bags, n) or (n,) with the offsets of the bags, to (bags, embedding_dim)."""
        return functional.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        return (
            self._shown("max_norm", "norm_type", "scale_grad_by_freq")
            + f", mode={self.mode!r}"
            + (f", padding_idx={self.padding_idx}" if self.padding_idx is not None else "")
        )


def _sizes(embeddings: Tensor) -> tuple[int, int]:
    if embeddings.ndim != 2:
        raise EmbeddingError(f"Embeddings parameter is expected to be 2-dimensional: got {list(embeddings.shape)}")
    return embeddings.shape[0], embeddings.shape[1]
