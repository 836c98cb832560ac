"""The teacher's two views of a graded class: `grades.csv` and `report.html`.

The page is one file without scripts or requests; everything a student wrote is escaped. It shows hidden
tests, so it is not for students. It holds no times: a regrade gives the same bytes.
"""

from __future__ import annotations

import csv
import statistics
from html import escape
from pathlib import Path

from .results import Exercise, Grade, Test, TestResult, points_text

__all__ = ["html_text", "write_csv", "write_html"]

STYLE = Path(__file__).with_name("report.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
TONES = {"full": "good", "partial": "fair", "missing": "none", "not graded": "none"}  # all others are poor


# ---------------------------------------------------------------------------------------------- csv


def write_csv(grades: list[Grade], path: Path) -> None:
    """One row a submission; a text that a spreadsheet would run as a formula gets an apostrophe in front.

    All cells are quoted: where a spreadsheet splits at semicolons, no text can begin a cell in its middle.
    """
    tests = [test.name for test in grades[0].tests] if grades else []
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["student", "points", "max_points", "verdict", "reason", "file", *map(_cell, tests)])
        for grade in grades:
            points = [points_text(test.points if result.passed else 0.0) for test, result in grade.rows()]
            row = [grade.student, points_text(grade.points), points_text(grade.most), grade.verdict, grade.reason]
            writer.writerow([_cell(text) for text in (*row, grade.file, *points)])


def _cell(text: str) -> str:
    """A text as a cell that no spreadsheet runs.

    >>> _cell("=1+1"), _cell("3.5"), _cell("two\\nlines")
    ("'=1+1", '3.5', 'two lines')
    """
    line = " ".join(text.split())
    return "'" + line if line.startswith(("=", "+", "-", "@")) else line


# --------------------------------------------------------------------------------------------- page


def write_html(exercise: Exercise, grades: list[Grade], isolation: dict[str, str], path: Path) -> None:
    """Write the report of a class."""
    path.write_text(html_text(exercise, grades, isolation), encoding="utf-8", newline="\n")


def html_text(exercise: Exercise, grades: list[Grade], isolation: dict[str, str]) -> str:
    """The whole page as one text."""
    title = f"Grades: {escape(exercise.title)}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{STYLE.read_text(encoding="utf-8")}</style>
</head>
<body>
<main>
<header>
<p class="kicker">Grades</p>
<h1>{escape(exercise.title)}</h1>
<p class="lead">{escape(exercise.summary)}</p>
</header>
{_overview(grades)}
{_submissions(grades)}
{_tests(grades)}
{_notes(isolation)}
</main>
</body>
</html>
"""


def _overview(grades: list[Grade]) -> str:
    counted = [grade.points for grade in grades if grade.verdict != "not graded"]
    most = grades[0].most if grades else 0.0
    median = points_text(statistics.median(counted)) if counted else "–"
    full = sum(grade.verdict == "full" for grade in grades)
    apart = sum(grade.verdict in ("missing", "unreadable", "cannot run", "not graded") for grade in grades)
    facts = [
        (str(len(grades)), "submissions"),
        (f"{median}<small> / {points_text(most)}</small>", "median points"),
        (str(full), "with full marks"),
        (str(apart), "missing or not runnable"),
    ]
    tiles = "".join(f'<div class="tile"><b>{number}</b><span>{text}</span></div>' for number, text in facts)
    return f'<section class="overview" aria-label="Overview">{tiles}{_histogram(counted, most)}</section>'


def _histogram(points: list[float], most: float, bins: int = 10) -> str:
    """How many submissions lie in each tenth of the points; the last bar holds full marks."""
    counts = [0] * bins
    for value in points:
        counts[min(int(bins * value / most), bins - 1) if most else 0] += 1
    tallest = max([*counts, 1])
    bars = "".join(
        f'<rect class="bar" x="{22 * i + 1}" y="{62 - 48 * n / tallest:.1f}" width="18" rx="2" '
        f'height="{48 * n / tallest:.1f}"/>'
        + (f'<text x="{22 * i + 10}" y="{58 - 48 * n / tallest:.1f}" class="count">{n}</text>' if n else "")
        for i, n in enumerate(counts)
    )
    spoken = ", ".join(f"{n} in tenth {i + 1}" for i, n in enumerate(counts) if n)
    return (
        f'<figure class="tile wide"><svg viewBox="0 0 220 80" role="img" aria-label="Points: {spoken}">{bars}'
        '<line class="axis" x1="0" y1="62.5" x2="220" y2="62.5"/><text class="tick" x="1" y="76">0</text>'
        f'<text class="tick end" x="219" y="76">{points_text(most)} points</text></svg></figure>'
    )


# -------------------------------------------------------------------------------------- submissions


def _submissions(grades: list[Grade]) -> str:
    rows = "\n".join(_submission(grade) for grade in grades) or "<p>There were no submissions.</p>"
    return f'<section><h2>Submissions</h2><p class="hint">Open a row for its tests.</p>\n{rows}\n</section>'


def _submission(grade: Grade) -> str:
    tone = TONES.get(grade.verdict, "poor")
    share = 100 * grade.points / grade.most if grade.most else 0
    strip = "".join(_dot(test, result) for test, result in grade.rows())
    whole = grade.verdict in ("missing", "unreadable", "cannot run")  # said once, above
    tests = "".join(_test_row(test, result, brief=whole) for test, result in grade.rows())
    return f"""<details class="student {tone}">
<summary>
<span class="name"><bdi>{escape(grade.student)}</bdi></span>
<span class="points"><b>{points_text(grade.points)}</b> / {points_text(grade.most)}</span>
<span class="meter" aria-hidden="true"><i style="width:{share:.1f}%"></i></span>
<span class="strip">{strip}</span>
<span class="verdict">{escape(grade.verdict)}</span>
<span class="reason">{escape(grade.reason)}</span>
</summary>
<table class="tests"><tbody>{tests}</tbody></table>
<p class="file">{escape(grade.file) or "no file"}{_digest(grade)}</p>
</details>"""


def _digest(grade: Grade) -> str:
    return f" · sha256 {escape(grade.sha256[:16])}…" if grade.sha256 else ""


def _dot(test: Test, result: TestResult) -> str:
    sign, word = ("✓", "passed") if result.passed else ("✗", result.kind)
    return f'<span class="dot {_tone(result)}" title="{escape(test.title)}: {escape(word)}">{sign}</span>'


def _tone(result: TestResult) -> str:
    return "good" if result.passed else "none" if result.kind in ("missing", "skipped") else "poor"


def _test_row(test: Test, result: TestResult, brief: bool = False) -> str:
    parts = [f'<p class="title">{escape(test.title)}{_hidden(test)}</p>']
    if not result.passed and not brief:
        parts.append(f'<pre class="why">{escape(result.reason)}</pre>')
        if result.where and result.where not in result.reason:
            parts.append(f'<pre class="where">{escape(result.where)}</pre>')
        if test.hint:
            parts.append(f'<p class="tip">Hint: {escape(test.hint)}</p>')
    if result.output:
        parts.append(f'<p class="label">Printed</p><pre class="output">{escape(result.output)}</pre>')
    got = test.points if result.passed else 0.0
    return (
        f'<tr class="{_tone(result)}"><td class="mark">{"✓" if result.passed else "✗"}</td>'
        f'<td>{"".join(parts)}</td><td class="got">{points_text(got)} / {points_text(test.points)}</td></tr>'
    )


def _hidden(test: Test) -> str:
    return ' <span class="badge">hidden</span>' if test.hidden else ""


# -------------------------------------------------------------------------------------------- tests


def _tests(grades: list[Grade]) -> str:
    if not grades:
        return ""
    rows = "".join(_test_summary(test, grades, index) for index, test in enumerate(grades[0].tests))
    return (
        '<section><h2>Tests</h2><p class="hint">How many submissions pass each one.</p>'
        f'<table class="summary"><tbody>{rows}</tbody></table></section>'
    )


def _test_summary(test: Test, grades: list[Grade], index: int) -> str:
    passed = sum(grade.rows()[index][1].passed for grade in grades)
    share = 100 * passed / len(grades)
    return (
        f'<tr><td class="task">{escape(test.task)}</td><td>{escape(test.title)}{_hidden(test)}</td>'
        f'<td class="got">{points_text(test.points)}</td>'
        f'<td class="rate"><span class="meter"><i style="width:{share:.1f}%"></i></span></td>'
        f'<td class="got">{passed} of {len(grades)}</td></tr>'
    )


def _held(text: str) -> str:
    return "open" if "NOT" in text else "held"


def _notes(isolation: dict[str, str]) -> str:
    lines = "".join(
        f"<dt>{escape(aspect)}</dt><dd class='{_held(text)}'>{escape(text)}</dd>"
        for aspect, text in sorted(isolation.items())
    )
    held = f"<dl>{lines}</dl>" if lines else "<p>No student code was run.</p>"
    return f"""<footer>
<h2>How student code was run</h2>
{held}
<p>Answers and hidden tests stayed in another process; only plain data crossed. This page shows hidden tests and is
for teachers; the files in <code>students/</code> leave their text out and can be handed back.</p>
</footer>"""
