"""Random programs: operations, views, edits in place, hooks, modes, several backward passes, in any order.

Each program runs in our engine and in PyTorch, line by line, and is compared after every line: values, shapes, dtypes,
flags, versions, gradients, what hooks were given, and whether an error was raised. Where we differ on purpose, a row of
`programs/decisions.py` says so. `python -m pytest --profile nightly` runs 20,000 programs, others every time.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

import tensorplay as tp
from tensorplay import inplace, ops
from tensorplay.autograd import engine, passes
from tests.autograd.programs.bounds import BOUNDS, Bound, out_of_bounds
from tests.autograd.programs.decisions import DECISIONS, Decision
from tests.autograd.programs.lockstep import Disagreement, Lockstep
from tests.autograd.programs.machine import TABLES, Programs
from tests.autograd.programs.report import Coverage
from tests.autograd.programs.shorten import shortened
from tests.autograd.programs.steps import Step, asked, filled
from tests.autograd.programs.tables import SHAPES, Row
from tests.autograd.programs.world import World
from tests.parity.rows import rows
from tests.test_tests import changed, plant_rule

torch = pytest.importorskip("torch", reason="the random programs are compared with PyTorch, which is not installed")

DEFAULT = settings(
    max_examples=200,
    stateful_step_count=20,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],  # a failure is shortened by taking out lines, which is faster than Hypothesis's shrinking
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
    print_blob=False,
)
MORE = settings(DEFAULT, max_examples=50)
NIGHTLY = settings(DEFAULT, max_examples=20_000, derandomize=False)


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(how: settings, covered: Coverage, start: int | None = None) -> None:
    """Random programs; the shortest form of the first that disagrees is raised."""

    machine = type("Programs", (Programs,), {"torch": torch, "ended": staticmethod(covered.add)})
    if start is not None:
        seed(start)(machine)
    try:
        run_state_machine_as_test(machine, settings=how)
    except Disagreement as failure:
        raise shortened(torch, failure) from None


def test_random_programs_agree_with_pytorch(request, record_property):
    nightly = request.config.getoption("--profile") == "nightly"
    covered = Coverage()
    run(NIGHTLY if nightly else DEFAULT, covered)
    for start in range(9):  # another version of Hypothesis draws other programs: some more, where one row was left out
        if covered.missing():
            run(MORE, covered, start)
    record_property("summary", f"random programs against PyTorch {torch.__version__}: {covered}")
    assert covered.programs >= (20_000 if nightly else 200)
    assert covered.clean >= covered.programs / 2
    assert covered.missing() == []
    left = covered.undecided(d.row for d in DECISIONS)
    record_property("decisions", f"met by programs: all but {left or 'none'}, which their own programs show")
    assert [row for row in left if by_itself(row)] == []


def by_itself(row: str) -> bool:
    """Whether a decision is not even met by the program that shows it."""
    both = Lockstep(torch)
    for step in next(d.program for d in DECISIONS if d.row == row):
        both.do(step)
    return not both.hits[row]


# ------------------------------------------------------------------------------- what we decided


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda d: d.row)
def test_a_decision_is_where_we_differ(decision: Decision):
    """The program ends here as the row says, and there as PyTorch has it."""
    ours, theirs = (ending(World(lib), decision) for lib in (tp, torch))
    assert (ours, theirs) == (decision.ours, decision.theirs)


def ending(world: World, row: Decision | Bound) -> str:
    """The error of the last line, or what is then read."""
    for step in row.program:
        outcome = world.run(step.code)
    if isinstance(row, Bound) and row.then and outcome.error is None:
        outcome = world.run(row.then)
    if isinstance(row, Decision) and row.warns and world.lib is tp:
        assert row.warns in [kind.__name__ for kind in outcome.warned]
    return outcome.error.__name__ if outcome.error else str(eval(row.reads, world.names))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda d: d.row)
def test_a_decision_holds_in_programs(decision: Decision):
    """The comparison knows the row by its program, tells PyTorch to do as we do, and goes on."""
    both = Lockstep(torch)
    for step in decision.program:
        both.do(step)
    assert both.hits[decision.row] == 1
    assert both.hits.keys() <= {decision.row, "44"}  # B3.8 edits what 44 is about


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda b: b.row)
def test_a_bound_is_where_we_differ(bound: Bound):
    """The last step, and no other of the program, is out of bounds; taken all the same, it ends as the row says."""
    both = Lockstep(torch)
    for step in bound.program[:-1]:
        assert not out_of_bounds(both, step)
        both.do(step)
    assert [b.row for b in BOUNDS if b.applies(both, bound.program[-1])] == [bound.row]
    ours, theirs = (ending(World(lib), bound) for lib in (tp, torch))
    assert (ours, theirs) == (bound.ours, bound.theirs)


def test_rows_have_names_of_their_own():
    rows: list[Decision | Bound] = [*DECISIONS, *BOUNDS]
    assert len({r.row for r in rows}) == len({r.says for r in rows}) == len(rows)


# --------------------------------------------------------------------------------- what is covered


def test_every_public_function_is_compared():
    known = {name.split(",")[0].removesuffix(" number") for kind in ("op", "view", "parts") for name in TABLES[kind]}
    public = {*tp.functional.__all__, *tp.functional.losses.__all__} - {"check_reduction", "detach", "concat"}
    public -= {"numel", "broadcast_shapes", "rsub"}  # no tensors; sub with its operands exchanged
    public -= {*tp.functional.comparison.__all__, *tp.functional.counting.__all__}  # answers without a gradient
    assert public - known - set(rows()[0]) == set()  # what has no row here is at least compared alone, in tests/parity


ROWS = [(kind, name) for kind, table in TABLES.items() for name in table]


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=lambda part: part)
def test_each_form_alone(kind: str, name: str):
    """Every form of every row: computed, differentiated, and the derivative differentiated."""
    row = TABLES[kind][name]
    found = [
        (shapes, form)
        for shapes in itertools.product(SHAPES, repeat=len(row.domains))
        for form in row.forms(*shapes)
        if not (kind == "in-place" and () in shapes)
    ]
    assert found
    for shapes, form in {form: (shapes, form) for shapes, form in found}.values():
        alone(kind, name, row, shapes, form)


def alone(kind: str, name: str, row: Row, shapes: tuple[Any, ...], form: str) -> None:
    both = Lockstep(torch)
    inner = [f"v{2 * i + 1}" for i in range(len(shapes))]
    for i, shape in enumerate(shapes):
        numbers = (torch.arange(1, 1 + torch.Size(shape).numel()).reshape(shape) / (4 + i)).tolist()
        leaf = f"v{2 * i} = lib.tensor({numbers}, dtype=lib.float64, requires_grad=True)"
        both.do(Step("leaf", "leaf", leaf, (f"v{2 * i}",)))
        both.do(Step("op", "mul number", f"v{2 * i + 1} = v{2 * i} * 1", (f"v{2 * i + 1}",), (f"v{2 * i}",)))
    code, otherwise = filled(form, inner), filled(row.translated(form), inner)
    made = () if kind == "in-place" else ("v9",)
    lines = (f"v9 = {c}{'[0]' * (kind == 'parts')}" if made and c else c for c in (code, otherwise))
    code, otherwise = lines
    assert both.do(Step(kind, name, code, made, tuple(inner), otherwise=otherwise)).error is None
    differentiate(both, made[0] if made else "v1", [f"v{2 * i}" for i in range(len(shapes))])


def differentiate(both: Lockstep, root: str, leaves: list[str]) -> None:
    if not both.ours[root].requires_grad:
        return
    made = [f"v{10 + i}" for i in range(len(leaves))]
    flags = f"{', '.join(made)}, = lib.autograd.grad({root}, [{', '.join(leaves)}], lib.ones_like({root}), "
    code = flags + "create_graph=True, allow_unused=True)"
    both.do(Step("grad", "grad", code, tuple(made), (root,), asked((root,), tuple(leaves), code, writes=False)))
    for name in [n for n in made if both.ours[n] is not None and both.ours[n].requires_grad]:
        code = f"{name}.backward(lib.ones_like({name}), retain_graph=True)"
        both.do(Step("backward", "backward", code, (), (name,), asked((name,), None, code)))
    assert both.clean


# ------------------------------------------------------------------------- do the programs bite?


def wrong_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_rule(monkeypatch, ops.Mul, "y", "g * ", "1.001 * g * ")


def no_version_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "walk", changed(engine.walk, "cell[0] != number", "cell[0] < number"))


def edits_without_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inplace, "written", lambda x, name: None)


def graph_freed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "walk", changed(engine.walk, "if not retain:", "if True:"))


PLANTS = [wrong_rule, no_version_check, edits_without_a_version, graph_freed_all_the_same]


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_planted_is_caught(plant: Any, monkeypatch: pytest.MonkeyPatch):
    """Within 300 programs; and the one that shows it is short, and can be pasted for either library."""
    plant(monkeypatch)
    with pytest.raises(Disagreement) as caught:
        run(settings(DEFAULT, max_examples=300), Coverage())
    assert len(caught.value.steps) <= 10
    lines = str(caught.value).split("after the last line of")[1]
    for lib in (tp, torch):
        with contextlib.suppress(RuntimeError), pytest.warns():
            warnings.warn("a program may warn", UserWarning, stacklevel=1)
            exec(lines, {"lib": lib})
