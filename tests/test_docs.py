"""What the pages in docs/ show is run: the Python blocks of a page in order, in one namespace.

A block with prompts must print what it shows; one without may be followed by a `text` block with its output.
"""

from __future__ import annotations

import doctest
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\s*^```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#]*)(?:#([^)]*))?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_page(text: str, name: str) -> list[str]:
    """Run all blocks; what went wrong, in words."""
    names: dict[str, object] = {"__name__": name}
    wrong = []
    for match in BLOCK.finditer(text):
        code, shown = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        printed = run_session(code, names, name, line) if ">>> " in code else run_block(code, names, name, line, shown)
        if printed is not None:
            wrong.append(printed)
    return wrong


def run_session(code: str, names: dict[str, object], name: str, line: int) -> str | None:
    """A block with prompts. An error that is not shown ends in the report as well."""
    test = doctest.DocTestParser().get_doctest(code, {}, name, name, line)
    test.globs = names  # the very namespace: a session may define what later blocks use
    told = io.StringIO()
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.write, clear_globs=False)
    return told.getvalue() if failed else None


def run_block(code: str, names: dict[str, object], name: str, line: int, shown: str | None) -> str | None:
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile("\n" * line + code, name, "exec"), names)
    same = printed.getvalue().rstrip() == (shown or "").rstrip()
    return None if same else f"line {line} of {name} printed\n{printed.getvalue()}\ninstead of\n{shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == text.count("```python")  # none is overlooked
    assert run_page(text, page.name) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, section in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith("http"):
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if section:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert section in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


def test_a_page_that_is_wrong_is_noticed() -> None:
    right = "```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n\n```python\nprint(x)\n```\n```text\n1\n```\n"
    assert run_page(right, "page") == []
    assert len(run_page(right.replace(">>> x + 1\n2", ">>> x + 1\n3"), "page")) == 1
    assert len(run_page(right.replace("```text\n1", "```text\n2"), "page")) == 1
    assert len(run_page(right.replace(">>> x + 1", ">>> y + 1"), "page")) == 1
