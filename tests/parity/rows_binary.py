"""Two operands and more, element by element: quotients, bounds, mixtures, comparisons, logic."""

from __future__ import annotations


def two(name: str, *more: str) -> list[str]:
    """A function of two tensors, with its method."""
    function, method = f"lib.{name}(a, b)", f"a.{name}(b)"
    pairs = (("a", "row"), ("col", "row"), ("a", "s"), ("k", "k"), ("n", "a"), ("a", "n"), ("a", "i"), ("e", "e"))
    return [function, method, *(f"lib.{name}({x}, {y})" for x, y in pairs), *more]


def alias(name: str, *more: str) -> list[str]:
    """Another name of a function of two."""
    return [f"lib.{name}(a, b)", f"a.{name}(row)", f"a.{name}_(b)", *more]


LONG = {"not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
SHIFTS = {"bitwise_left_shift": "<<", "bitwise_right_shift": ">>"}
AUGMENTED = {"&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__"}


def of_bits(name: str, sign: str) -> list[str]:
    forms = [f"lib.{name}(a, k)", f"lib.{name}(a, 3)", f"lib.{name}(3, k)", f"a.{name}(k)", f"a.{name}_(k)"]
    signs = [f"a {sign} k", f"a {sign} row", f"a {sign} 1", f"2 {sign} k", f"a {sign} i", f"a {sign} t", f"t {sign} i"]
    return [*forms, *signs, f"a.{AUGMENTED[sign]}(k)", f"i.{AUGMENTED[sign]}(1)", f"e {sign} e", f"a {sign} m"]


def in_place_relation(name: str) -> list[str]:
    return [f"lib.{name}(a, b)", f"lib.{name}(k, 1)", f"a.{name}(row)", f"a.{name}_(b)", f"(a * 2).{name}_(k)"]


def logical(name: str) -> list[str]:
    return two(name, f"a.{name}_(k)", f"(a * 2).{name}_(k)", f"lib.{name}(m, k)", f"lib.{name}(z, k)")


ROWS = {
    "subtract": alias(
        "subtract",
        "lib.subtract(a, b, alpha=2)",
        "lib.rsub(a, b)",
        "lib.rsub(a, 2, alpha=3)",
        "lib.rsub(a, row, alpha=2)",
        "lib.subtract(2, a)",
    ),
    "multiply": alias("multiply", "lib.multiply(2, a)"),
    "divide": alias("divide", "lib.divide(a, p, rounding_mode='floor')", "lib.divide(2, p)"),
    "true_divide": alias("true_divide", "i.true_divide(2)"),
    "floor_divide": [
        *("lib.floor_divide(a, b)", "lib.floor_divide(a, p)", "a.floor_divide(row)", "a // b", "a // 2", "a // s"),
        *("5 // a", "a // 1.5", "a.floor_divide_(b)", "a.__ifloordiv__(2)", "n // a", "i // 2.5", "t // 3", "a // i"),
        *("lib.floor_divide(a, 0.0)", "e // e", "a.double() // 0"),
    ],
    "remainder": two(
        "remainder",
        *("a % b", "a % 2", "5 % a", "a % 1.5", "a.remainder_(b)", "a.__imod__(2)", "lib.remainder(5, a)", "t % 3"),
        *("lib.remainder(n, 2.5)", "(a * 2).remainder_(p)", "i % 2.5", "a % 0.0"),
    ),
    "fmod": two(
        "fmod",
        *("lib.fmod(a, 2)", "lib.fmod(a, 1.5)", "a.fmod_(b)", "a.fmod(0.0)", "lib.fmod(n, 2.5)", "t.fmod(3)"),
        *("(a * 2).fmod_(p)", "lib.fmod(k, a)"),
    ),
    "float_power": [
        *("lib.float_power(p, b)", "lib.float_power(a, 2)", "p.float_power(0.5)", "lib.float_power(2, a)"),
        *("lib.float_power(p, row)", "i.float_power(-1)", "a.double().float_power_(3)", "e.float_power(2)"),
        *("lib.float_power(p, 1j)", "a.float_power_(2)", "m.float_power(2)"),
    ],
    "arctan2": alias("arctan2", "lib.arctan2(a, s)"),
    "hypot": two("hypot", "a.hypot_(b)", "lib.hypot(a * 1000, b * 1000)", "(a * 2).hypot_(row)"),
    "logaddexp": two("logaddexp", "lib.logaddexp(a * 300, b * 300)"),
    "logaddexp2": two("logaddexp2", "lib.logaddexp2(a * 300, b * 300)"),
    "xlogy": [
        *("lib.xlogy(a, p)", "a.xlogy(p)", "lib.xlogy(k, p)", "lib.xlogy(k, k)", "lib.xlogy(a, row.abs())"),
        *("lib.xlogy(a, 2)", "lib.xlogy(a, 2.5)", "lib.xlogy(2, p)", "a.xlogy_(p)", "lib.xlogy(a, b)"),
        *(
            "lib.xlogy(k, n)",
            "lib.xlogy(n, p)",
            "e.xlogy(e)",
            "lib.xlogy(a, s)",
            "(a * 2).xlogy_(2)",
            "lib.xlogy(0, k)",
        ),
    ],
    "copysign": two(
        "copysign",
        *("lib.copysign(a, -1)", "lib.copysign(a, -0.0)", "a.copysign_(b)", "(a * 2).copysign_(-2.0)"),
        *("lib.copysign(k, -1.0)", "lib.copysign(a, k)"),
    ),
    "heaviside": [
        *("lib.heaviside(a, b)", "lib.heaviside(k, b)", "k.heaviside(row)", "k.heaviside_(b)", "n.heaviside(a)"),
        *("lib.heaviside(k, s)", "lib.heaviside(e, e)", "lib.heaviside(k, n)"),
    ],
    "fmax": two("fmax", "lib.fmax(n, n)", "lib.fmax(m, m)", "a.fmax(i)"),
    "fmin": two("fmin", "lib.fmin(n, n)", "lib.fmin(m, m)", "a.fmin(i)"),
    "clamp": [
        *("lib.clamp(a, -1, 1)", "a.clamp(0)", "a.clamp(min=-1)", "a.clamp(max=1)", "a.clamp(None, 1)"),
        *("a.clamp(-1.5, 1.5)", "k.clamp(0, 1)", "a.clamp(1, -1)", "n.clamp(-1, 1)", "n.clamp(0)", "n.clamp(max=0)"),
        *("a.clamp(b)", "a.clamp(row, col)", "a.clamp(min=b)", "a.clamp(max=b)", "k.clamp(k, k)", "a.clamp(b, c)"),
        *("a.clamp_(-1, 1)", "a.clamp_(b)", "(a * 2).clamp_(-1, 1)", "(a * 2).clamp_(max=1)", "a.clamp(nan)"),
        *("a.clamp(0, nan)", "a.clamp(s, s)", "e.clamp(0, 1)", "s.clamp(0, 1)", "i.clamp(0.5)", "i.clamp(0, 2.5)"),
        *("a.clamp(n, c)", "n.clamp(a, c)", "a.clamp(i)", "a.clamp(a, a)", "a.clamp_(0.5)", "a.clamp(True)"),
        *("a.clamp(b, i)", "a.clamp(lib.tensor(0.5))"),
    ],
    "clip": ["lib.clip(a, -1, 1)", "a.clip(min=b)", "a.clip_(0, 1)", "a.clip(b, c)"],
    "clamp_min": [
        "lib.clamp_min(a, 0)",
        "a.clamp_min(b)",
        "k.clamp_min(1)",
        "a.clamp_min_(0)",
        "n.clamp_min(0)",
        "lib.clamp_min(a, row)",
        "k.clamp_min(k)",
        "i.clamp_min(0.5)",
    ],
    "clamp_max": [
        "lib.clamp_max(a, 0)",
        "a.clamp_max(b)",
        "k.clamp_max(1)",
        "a.clamp_max_(0)",
        "n.clamp_max(0)",
        "lib.clamp_max(a, row)",
        "k.clamp_max(k)",
        "i.clamp_max(0.5)",
    ],
    "lerp": [
        *("lib.lerp(a, b, 0.25)", "lib.lerp(a, b, 0.75)", "lib.lerp(a, b, u)", "a.lerp(b, 1)", "a.lerp(row, col)"),
        *("a.lerp_(b, 0.25)", "a.lerp_(b, u)", "(a * 2).lerp_(b, u)", "lib.lerp(a, b, s)", "lib.lerp(s, s, 0.5)"),
        *("lib.lerp(e, e, 0.5)", "lib.lerp(col, row, a)", "lib.lerp(n, a, 0.25)", "lib.lerp(a, b, 2.5)"),
    ],
    "addcmul": [
        *("lib.addcmul(a, b, c)", "lib.addcmul(a, b, c, value=2)", "a.addcmul(row, col)", "a.addcmul_(b, c, value=3)"),
        *("lib.addcmul(row, col, a)", "lib.addcmul(a, i, b)", "lib.addcmul(e, e, e)", "lib.addcmul(s, s, s)"),
        *("(a * 2).addcmul_(b, row)", "i.addcmul(i, i, value=2)"),
    ],
    "addcdiv": [
        *("lib.addcdiv(a, b, p)", "lib.addcdiv(a, b, p, value=2)", "a.addcdiv(row, col)", "a.addcdiv_(b, p, value=3)"),
        *("lib.addcdiv(row, col, a)", "lib.addcdiv(a, i, b)", "lib.addcdiv(e, e, e)", "lib.addcdiv(s, s, s)"),
        *("(a * 2).addcdiv_(b, row)", "lib.addcdiv(a, b, k)"),
    ],
    **{name: in_place_relation(name) for name in LONG},
    "isclose": [
        *("lib.isclose(a, b)", "lib.isclose(a, a + 1)", "a.isclose(a)", "lib.isclose(n, n)", "lib.isclose(a, row)"),
        *("lib.isclose(n, n, equal_nan=True)", "lib.isclose(a, b, rtol=0.5)", "lib.isclose(a, b, 0.0, 1.0)"),
        *("lib.isclose(a, a * 1)", "lib.isclose(e, e)", "lib.isclose(n, -n)", "lib.isclose(k, k)"),
    ],
    **{name: logical(name) for name in ("logical_and", "logical_or", "logical_xor")},
    "logical_not": [
        "lib.logical_not(k)",
        "k.logical_not()",
        "k.logical_not_()",
        "n.logical_not()",
        "m.logical_not()",
        "e.logical_not()",
        "(k * 2).logical_not_()",
    ],
    **{name: of_bits(name, sign) for name, sign in (BITS | SHIFTS).items()},
    "bitwise_not": ["lib.bitwise_not(a)", "a.bitwise_not()", "a.bitwise_not_()", "~m", "~i", "~t", "e.bitwise_not()"],
    "promote_types": [
        "lib.promote_types(dt, lib.float16)",
        "lib.promote_types(lib.uint8, dt)",
        "lib.promote_types(type1=dt, type2=lib.int64)",
    ],
    "result_type": [
        *("lib.result_type(a, 1)", "lib.result_type(a, 1.5)", "lib.result_type(1, a)", "lib.result_type(a, i)"),
        *("lib.result_type(a, s)", "lib.result_type(m, s)", "lib.result_type(1, 2)", "lib.result_type(1, 2.5)"),
        *("lib.result_type(a, True)", "lib.result_type(s, a)", "lib.result_type(i, s)", "lib.result_type(a, t)"),
    ],
    "can_cast": [
        *("lib.can_cast(dt, lib.float32)", "lib.can_cast(dt, lib.int32)", "lib.can_cast(dt, lib.uint8)"),
        *("lib.can_cast(dt, lib.bool)", "lib.can_cast(lib.bool, dt)", "lib.can_cast(lib.int64, dt)"),
        *("lib.can_cast(dt, lib.complex64)", "lib.can_cast(from_=dt, to=lib.float16)"),
    ],
}

INVALID = {
    "subtract": ["lib.rsub(2, a)", "lib.rsub(m, 1)", "lib.subtract(m, m)", "lib.subtract(a, b, alpha='x')"],
    "multiply": ["a.multiply('x')", "lib.multiply(a)"],
    "divide": ["lib.divide(a, 'x')", "lib.divide(a, b, rounding_mode='up')", "lib.divide(i, 0, rounding_mode='trunc')"],
    "floor_divide": ["i // 0", "a // None", "a // 'x'", "lib.floor_divide(a, v[:2])", "i.__ifloordiv__(2.5)"],
    "remainder": ["i % 0", "a % None", "a % 'x'", "lib.remainder(a, v[:2])", "i.__imod__(2.5)", "z % z", "m % m"],
    "fmod": ["lib.fmod(i, 0)", "lib.fmod(5, a)", "lib.fmod(a, 'x')", "lib.fmod(z, z)", "a.fmod(v[:2])"],
    "float_power": ["lib.float_power(2, 3)", "a.float_power_(2)", "lib.float_power(a, 'x')"],
    "arctan2": ["lib.arctan2(a, 1)"],
    "hypot": ["lib.hypot(a, 1)", "lib.hypot(a, v[:2])", "lib.hypot(z, z)"],
    "logaddexp": ["lib.logaddexp(a, 1)", "lib.logaddexp(a, v[:2])"],
    "logaddexp2": ["lib.logaddexp2(a, 1)", "lib.logaddexp2(z, z)"],
    "xlogy": ["lib.xlogy(a, 'x')", "lib.xlogy(z, z)", "lib.xlogy(a, v[:2])"],
    "copysign": ["lib.copysign(1, a)", "lib.copysign(a, 'x')", "lib.copysign(z, z)"],
    "heaviside": ["lib.heaviside(a, 1)", "lib.heaviside(a, i)", "lib.heaviside(z, z)", "lib.heaviside(a, v[:2])"],
    "fmax": ["lib.fmax(a, 1)", "lib.fmax(z, z)", "lib.fmax(a, v[:2])"],
    "fmin": ["lib.fmin(a, 1)", "lib.fmin(z, z)"],
    "clamp": [
        "lib.clamp(a)",
        "lib.clamp(a, b, 1.0)",
        "lib.clamp(a, 'x')",
        "lib.clamp(z, 0, 1)",
        "i.clamp_(0.5)",
        "lib.clamp(a, 0, b)",
        "lib.clamp(1.0, 0, 1)",
        "a.clamp(v[:2])",
        "lib.clamp(a, 1j)",
    ],
    "clamp_min": ["lib.clamp_min(a, None)", "lib.clamp_min(1, 0)", "a.clamp_min('x')"],
    "clamp_max": ["lib.clamp_max(a, None)", "lib.clamp_max(1, 0)"],
    "lerp": [
        "lib.lerp(i, i, 0.5)",
        "lib.lerp(a, b.double(), 0.5)",
        "lib.lerp(a, b, u.double())",
        "lib.lerp(a, 1.0, 0.5)",
        "lib.lerp(a, v[:2], 0.5)",
        "a.lerp(b)",
    ],
    "addcmul": ["lib.addcmul(a, 1, b)", "lib.addcmul(m, m, m)", "a.addcmul(b)", "a.addcmul(b, v[:2])"],
    "addcdiv": ["lib.addcdiv(i, i, i)", "lib.addcdiv(a, i, i)", "lib.addcdiv(a, 1, b)"],
    "eq": ["lib.eq(1, a)", "a.eq(None)", "lib.eq(a, 'x')", "lib.eq(a, v[:2])"],
    "gt": ["lib.gt(1, a)", "a > None", "z > w"],
    "isclose": [
        "lib.isclose(a, b.double())",
        "lib.isclose(a, 1.0)",
        "lib.isclose(a, b, rtol=-1.0)",
        "lib.isclose(a, v[:2])",
    ],
    "allclose": ["lib.allclose(a, b.double())", "lib.allclose(a, 1)", "lib.allclose(a, v[:2])"],
    "logical_and": ["lib.logical_and(a, 1)", "lib.logical_and(a, v[:2])"],
    "logical_not": ["lib.logical_not(1)"],
    "bitwise_and": ["a & i", "i & 1.5", "m & None", "lib.bitwise_and(i, 'x')", "m.__iand__(i)", "i & i[:, :2]"],
    "bitwise_not": ["~a", "~z", "lib.bitwise_not(a)", "lib.bitwise_not(1)"],
    "bitwise_left_shift": ["a << 1", "m << m", "i << 1.5", "i.__ilshift__(1.5)"],
    "bitwise_right_shift": ["a >> 1", "1 >> a"],
    "promote_types": ["lib.promote_types(1, 2)", "lib.promote_types(lib.int64)"],
    "result_type": ["lib.result_type(a, 'x')", "lib.result_type(a)"],
    "can_cast": ["lib.can_cast(1, 2)", "lib.can_cast(lib.int64)"],
}

REPLACED = (
    "PyTorch forgets that the old numbers are gone and hands the gradient on to them; with us the slope is 0, as it is "
    "in both libraries for eq_"
)
STEEP = "the slope is one of two constants, so its own derivative is 0; PyTorch divides by it where it is not defined"

DEVIATIONS: dict[str, str] = {
    **{f"{x}.logical_{name}_(k)  # gradient": REPLACED for name in ("and", "or", "xor") for x in ("a", "(a * 2)")},
    "k.logical_not_()  # gradient": REPLACED,
    "(k * 2).logical_not_()  # gradient": REPLACED,
    "lib.copysign(k, k)  # second": STEEP,
    "lib.copysign(n, a)  # second": STEEP,
    "lib.copysign(k, -1.0)  # second": STEEP,
    "lib.addcdiv(a, b, k)  # second": "the second derivative of a quotient by 0 is infinite; PyTorch has inf - inf",
    "lib.atan2(k, k)  # second": "at the origin both gradients are 0 by convention, and so are their derivatives",
    "0.0 ** p  # second": "0 to a positive power stays 0, so all derivatives are 0; PyTorch multiplies 0 by infinity",
    "a + 1j  # float16 error": "neither library has complex numbers in half precision; here the result is complex64",
    "a * 1j  # float16 error": "neither library has complex numbers in half precision; here the result is complex64",
}
