"""The comparison with PyTorch. How to add the rows of a function:

1. Its name must be in `names.toml`; take its paths (`hypot`, `Tensor.hypot`, `Tensor.hypot_`) out of `missing.txt`.
2. In `rows_<family>.py`, `ROWS["hypot"] = ["lib.hypot(a, b)", "a.hypot(b)", "a.hypot_(b)", "lib.hypot(a, s)"]`,
   `INVALID["hypot"] = ["lib.hypot(a, 'x')"]`: expressions of `lib` and the operands that `operands.py` lists.
3. Each runs in both libraries over every dtype PyTorch takes: value, dtype, shape, operands after it,
   class of errors, first and second gradients. `dt` is the dtype under test; `kind(...)` is for random results.
4. `nice python -m pytest -q tests/parity -k hypot` shows what differs: `expression @ dtype aspect: ours, PyTorch's`.
5. Aspects: value, dtype, shape, operand (afterwards), error (PyTorch raises, we do not or otherwise), refused (only
   we raise), recorded (has a graph), gradient, second, invalid (PyTorch raises nothing: the row is wrong).
6. What is meant to differ: `DEVIATIONS["lib.hypot(a, s)  # float16 value"] = "the reason"` in the same file; the words
   after `#` (a dtype, an aspect, both, none) narrow it. Each must be hit by some difference.
7. What is a fault, known but not mended yet, is a line of the same form in `open.txt`; each must be hit, too: mend it
   and take the line out. Nothing is added there for new functions.
8. Signatures are compared without rows; `signature_deviations.py` (with reasons) and `open_signatures.txt` list others.
9. What many functions share is a helper in `rows.py`, such as `float_unary`.
10. `python -m tests.parity.table` writes `docs/functions.md` again.
"""
