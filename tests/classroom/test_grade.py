"""A class of good, bad and hostile submissions: right points, a clear reason each, nobody else affected."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

EXERCISE = Path(__file__).with_name("exercise")
GOOD = (EXERCISE / "exercise.py").read_text()
MEAN, RELU = "share = np.ones_like(x) / x.size", "return np.where(x > 0, g, 0.0)"
WRONG = "def d_mul(*a): return 0\ndef d_mean(*a): return 0\ndef d_relu(*a): return 0\n"

CLASS = {
    "perfect.py": GOOD,
    "half.py": GOOD.replace(MEAN, "share = np.ones_like(x)").replace("def d_relu", "def relu"),
    "loop.py": GOOD.replace(MEAN, "while True: pass"),
    "exit.py": GOOD.replace(MEAN, "raise SystemExit(0)"),
    "exit_at_import.py": "import sys\nsys.exit(0)\n" + GOOD,
    "vanish.py": GOOD.replace(RELU, "import os; os._exit(0)"),
    "vanish_at_import.py": "import os\nos._exit(0)\n",
    "syntax.py": "import numpy as np\n\ndef d_mul(g, x, y:\n    return g\n",
    "missing": None,
    "=formula.py": GOOD,
    "<b>bold&.py": "raise ValueError('<script>alert(1)</script>')\n",
    "stub": None,
    "patches.py": WRONG
    + "import numpy, _pytest.python, builtins\n"
    + "_pytest.python.Function.runtest = lambda self: None\n"
    + "numpy.allclose = numpy.testing.assert_allclose = lambda *a, **k: True\n"
    + "builtins.isinstance = lambda *a: True\n",
    "lies.py": "class Yes(tuple):\n    shape = (2,)\n    def __eq__(self, other): return True\n"
    + "def d_mul(*a): return Yes((1, 2))\ndef d_mean(*a): return Yes()\ndef d_relu(*a): return Yes()\n",
    "peeks.py": "import sys\n\ndef d_mean(g, x):\n    frame, seen = sys._getframe(), []\n    while frame:\n"
    + "        seen.append(frame.f_code.co_filename)\n        frame = frame.f_back\n"
    + "    raise ValueError(' '.join(seen))\n",
    "hunts.py": f"text = open({str(EXERCISE / 'exercise.py')!r}).read()\nexec(text)\n",
    "conftest": {
        "exercise.py": WRONG,
        "conftest.py": "def pytest_runtest_makereport(item, call): item.add_marker('xfail')\n",
    },
}


def write_class(folder):
    for name, content in CLASS.items():
        if isinstance(content, str):
            (folder / name).write_text(content)
        else:
            (folder / name).mkdir(parents=True)
            for file, text in (content or {}).items():
                (folder / name / file).write_text(text)


@pytest.fixture(scope="module")
def graded(tmp_path_factory, command):
    folder = tmp_path_factory.mktemp("class")
    write_class(folder)
    key = folder.parent / "key"
    key.write_text("a secret of this course")
    status = command("grade", folder, "-a", EXERCISE, "-o", folder / "out", "--key", key)
    with (folder / "out" / "grades.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return status, rows, folder, key


def row(graded, student):
    (found,) = [row for row in graded[1] if row["student"].lstrip("'") == student]
    return found


@pytest.mark.parametrize(
    ("student", "points", "verdict", "reason"),
    [
        ("perfect", "10", "full", "all 7 tests pass"),
        (
            "half",
            "4",
            "partial",
            r"2 of 7 tests pass \(3 without the function, 2 wrong\); first: \[1. 1. 1. 1.\] where",
        ),
        ("loop", "7", "partial", r"5 of 7 tests pass \(2 out of time\); first: d_mean ran longer than 3 s"),
        (
            "exit",
            "7",
            "partial",
            r"\(2 ended by exit\); first: d_mean called sys.exit\(0\) \(exit.py, line \d+: raise System",
        ),
        (
            "exit_at_import",
            "0",
            "cannot run",
            r"while it was imported, called sys.exit\(0\) \(exit_at_import.py, line 2",
        ),
        (
            "vanish",
            "7",
            "partial",
            r"4 of 7 tests pass \(3 ended by exit\); first: d_relu ended the whole process with st",
        ),
        ("vanish_at_import", "0", "cannot run", "while it was imported, ended the whole process with status 0"),
        ("syntax", "0", "cannot run", r"syntax.py, line 3: SyntaxError: '\(' was never closed"),
        ("missing", "0", "missing", "nothing handed in: the folder holds no exercise.py or exercise.ipynb"),
        ("=formula", "10", "full", "all 7"),
        ("<b>bold&", "0", "cannot run", r"raised ValueError: <script>alert\(1\)</script>"),
        ("patches", "0", "cannot run", "ModuleNotFoundError|AttributeError|PermissionError|ended"),
        ("lies", "0", "zero", "with a result of a wrong kind"),
        ("peeks", "0", "zero", "first: peeks.py does not define d_mul"),
        ("conftest", "0", "zero", "0 of 7 tests pass"),
    ],
)
def test_points_and_reason(graded, student, points, verdict, reason):
    found = row(graded, student)
    assert (found["points"], found["max_points"], found["verdict"]) == (points, "10", verdict)
    assert re.search(reason, found["reason"]), found["reason"]


def test_the_batch_ran_and_has_one_row_each_in_order(graded):
    status, rows, _, _ = graded
    assert status == 0
    students = [row["student"].lstrip("'") for row in rows]
    assert students == sorted(name.removesuffix(".py") for name in CLASS)


def test_the_answers_are_out_of_reach(graded):
    found = row(graded, "hunts")
    if "files: only" not in (graded[2] / "out" / "journal.txt").read_text():
        pytest.skip("files cannot be hidden on this system; the report says so")
    assert found["points"] == "0"
    assert re.search("PermissionError|FileNotFoundError", found["reason"])


def test_nothing_of_the_grader_is_on_the_students_stack(graded):
    text = (graded[2] / "out" / "students" / "peeks.json").read_text()
    assert "test_exercise" not in text


def test_records_say_nothing_of_hidden_tests(graded):
    record = json.loads((graded[2] / "out" / "students" / "half.json").read_text())
    public, hidden = ([test for test in record["tests"] if test["hidden"] is flag] for flag in (False, True))
    assert any("reason" in test for test in public)
    assert {key for test in hidden for key in test} <= {
        "test",
        "task",
        "hidden",
        "result",
        "points",
        "max_points",
        "hint",
    }
    assert record["points"] == sum(test["points"] for test in record["tests"]) == 4


def test_csv_runs_no_formula(graded):
    lines = (graded[2] / "out" / "grades.csv").read_text().splitlines()
    assert any(line.startswith('"\'=formula",') for line in lines)
    assert not any(cell[:1] in "=+-@" for line in csv.reader(lines) for cell in line if cell)
    assert all(line[0] == line[-1] == '"' for line in lines)  # a text with semicolons stays one cell everywhere


def test_the_page_is_closed_and_escaped(graded):
    page = (graded[2] / "out" / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;bold&amp;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert page.count("<details") == len(CLASS)


def test_a_regrade_gives_the_same_bytes(graded, command):
    _, _, folder, key = graded
    smaller = folder.parent / "again"
    smaller.mkdir()
    for name in ("perfect.py", "half.py", "exit.py"):
        shutil.copy(folder / name, smaller / name)
    assert command("grade", smaller, "-a", EXERCISE, "-o", smaller / "out", "--key", key, "--skip-solution") == 0
    for name in ("perfect.json", "half.json", "exit.json"):
        assert (smaller / "out" / "students" / name).read_bytes() == (folder / "out" / "students" / name).read_bytes()
