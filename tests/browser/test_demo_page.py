"""The page of `tensorplay demo`, made by the command and driven like a newcomer would.

The numbers compared with come from a training step that nobody recorded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay import cli, demo
from tests.browser.driving import data, dom, ready, step

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn", reason="the digits ship inside scikit-learn (extra `lab`)")
    path = tmp_path_factory.mktemp("demo") / "tensorplay-demo.html"
    assert cli.main(["demo", "--no-open", "--seed", "3", "--output", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def parameters() -> dict[str, Any]:
    """The network after the same step, run plainly: nobody listens, nothing is recorded."""
    learn, _ = tp.datasets.digits()
    model = demo.make_model(3)
    optimizer = tp.optim.Adam(model.parameters(), lr=demo.RATE)
    demo.train_step(model, optimizer, *(part[: demo.SHOWN] for part in learn.tensors))
    return dict(model.named_parameters())


def count(page: Any) -> int:
    """How many steps there are; leaves the page at the first frame."""
    page.keyboard.press("End")
    last = step(page)
    page.keyboard.press("Home")
    return last


def drawn(page: Any) -> str:
    """The picture, the sentence and the cards: all that a step changes, whatever has the focus."""
    parts = "[...document.querySelectorAll('.tp-player .tp-graph, .tp-player .say, .tp-player .card')]"
    return page.evaluate(f"{parts}.map(part => part.outerHTML).join()")


def walk(page: Any, forward: Any, back: Any, read: Any = dom) -> tuple[list[str], list[str]]:
    """Every frame from the first to the last, and again from the last to the first."""
    last = count(page)
    there, again = [read(page)], []
    for _ in range(last):
        forward()
        there.append(read(page))
    assert step(page) == last
    for _ in range(last):
        again.append(read(page))
        back()
    assert step(page) == 0
    return there, [*again, read(page)][::-1]


def test_there_and_back_by_keyboard(page_file: Path, open_file: Any) -> None:
    opened = open_file(page_file)
    page = ready(opened)
    press = page.keyboard.press
    there, back = walk(page, lambda: press("ArrowRight"), lambda: press("ArrowLeft"))
    assert there == back
    assert len(set(there)) == len(there), "every step shows something new"
    assert opened.requests == [] and opened.complaints == []


def test_there_and_back_by_buttons(page_file: Path, open_file: Any) -> None:
    page = ready(open_file(page_file))
    following, previous = (page.get_by_role("button", name=name, exact=True) for name in ("Next step", "Previous step"))
    there, back = walk(page, following.click, previous.click, drawn)
    assert there == back
    assert len(set(there)) == len(there) and 'class="card' in there[0] and "<svg" in there[0]


def test_gradients_on_screen_are_the_engine_s(page_file: Path, open_file: Any, parameters: dict[str, Any]) -> None:
    page = ready(open_file(page_file))
    page.keyboard.press("End")
    for name, parameter in parameters.items():
        box = f'.node:has(title:text-is("{name}")), .node[aria-label*="{name}"]'
        shown, grad = data(page, box, "grad"), parameter.grad.numpy()
        if isinstance(shown, dict):
            assert shown["sum"] == grad.sum(dtype="float64") and shown["shape"] == list(grad.shape)
            assert (shown["min"], shown["max"]) == (grad.min(), grad.max())
        else:
            assert shown == grad.tolist()


def test_accumulation_and_freed_boxes(page_file: Path, open_file: Any) -> None:
    page = ready(open_file(page_file))
    lines = []
    for _ in range(count(page)):
        page.keyboard.press("ArrowRight")
        if page.locator(".card.step .line.addition").count():
            lines.append(page.text_content(".card.step .line.addition"))
    assert len(lines) == 4, "four parameters"
    assert all("+" in line and "=" in line for line in lines)
    assert page.locator(".node.op").count() == page.locator(".node.op.freed").count() > 0
