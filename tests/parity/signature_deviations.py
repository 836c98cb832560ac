"""Which signatures are compared, and where ours are others than PyTorch's."""

from __future__ import annotations

from functools import cache

from tests.parity import listed

NO_ARGUMENTS = ("dtype", "iinfo", "finfo", "Generator", "inf", "nan", "pi", "e")
"""Kinds of things that nobody calls with names, or that PyTorch tells no signature of."""

_CUTS = "PyTorch names the argument by what is given, indices or sections: ours is one, and takes these names too"
_STUB = "the stub says what the function itself refuses: PyTorch raises where it is called so"
_BOUNDS = "low can be left out in front of high: the names are taken, but no Python signature says so"
DEVIATIONS: dict[str, str] = {
    **dict.fromkeys(
        ("subtract", "Tensor.subtract", "Tensor.subtract_"),
        "another name of sub, whose alpha both libraries take by name only",
    ),
    **dict.fromkeys(("addcmul", "addcdiv"), "PyTorch deprecates the form with the value in front"),
    "result_type": "one signature for what PyTorch names tensor, scalar or other by its kind",
    **dict.fromkeys(("mm", "bmm", "addmm", "baddbmm"), "out_dtype is for the matrix units of GPUs; the CPU refuses it"),
    **dict.fromkeys(
        ("std", "Tensor.std", "var", "Tensor.var", "std_mean", "var_mean"),
        "one signature in Python for PyTorch's three: unbiased comes after dim or alone, correction by name",
    ),
    **dict.fromkeys(
        ("max", "Tensor.max", "min", "Tensor.min"),
        "one signature in Python for PyTorch's three: the second argument is dim or the other tensor",
    ),
    **dict.fromkeys(("unique", "unique_consecutive"), "PyTorch's function says (*args); ours is that of its method"),
    **dict.fromkeys(
        [f"{of}{name}" for of in ("", "Tensor.") for name in ("tensor_split", "hsplit", "vsplit", "dsplit")], _CUTS
    ),
    "Tensor.split": "the method is the function, which PyTorch has with another name of the argument; it takes both",
    **dict.fromkeys(("linspace", "logspace", "Tensor.new_ones", "Tensor.new_tensor"), _STUB),
    **dict.fromkeys(("arange", "randint", "randint_like", "Tensor.random_"), _BOUNDS),
    "meshgrid": "PyTorch's None means 'ij' with a warning that this will change; ours says what it does",
    "repeat_interleave": "with one argument it is the repeats, which have to come by position",
    **dict.fromkeys(
        [f"nn.functional.{kind}max_pool{n}d" for kind in ("", "adaptive_") for n in (1, 2, 3)],
        "PyTorch's function says (*args): it chooses by return_indices; ours is the signature it documents",
    ),
    "nn.functional.one_hot": "the stub has another name than the function, which takes input",
    **dict.fromkeys(
        ("scatter", "Tensor.scatter", "Tensor.scatter_"),
        "one signature in Python for the four forms of PyTorch: src or value, each with and without reduce",
    ),
}
"""Path → reason."""


def compared() -> list[str]:
    """The paths of names.toml with arguments; special methods are called by Python."""
    return [p for p in listed.paths() if "__" not in p and p not in NO_ARGUMENTS]


@cache
def open_signatures() -> frozenset[str]:
    """Signatures that are faults, to be mended."""
    return frozenset(listed.lines("open_signatures.txt"))
