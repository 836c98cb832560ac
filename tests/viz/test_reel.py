"""Large traces: the page stays small, says what passes unseen, and shows nothing but the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.viz import Trace
from tensorplay.viz.player import reel as reels
from tensorplay.viz.player.frames import film
from tensorplay.viz.player.reel import reel_of


def chain(length: int) -> Trace:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    with tp.viz.record() as trace:
        y = x
        for _ in range(length):
            y = y * 1.01
        y.sum().backward()
    return trace


def training(steps: int) -> Trace:
    w = tp.tensor([1.0, 2.0], requires_grad=True)
    optimizer = tp.optim.SGD([w], lr=0.1)
    with tp.viz.record() as trace:
        for _ in range(steps):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
    return trace


@pytest.fixture(autouse=True)
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reels, "MOST_BOXES", 24)
    monkeypatch.setattr(reels, "MOST_FRAMES", 60)


def last_items(made: dict[str, Any]) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for frame in made["frames"]:
        items |= frame["items"]
    return items


def test_a_small_trace_is_played_whole() -> None:
    trace = chain(8)
    reel = reel_of(trace)
    assert list(reel.frames) == list(range(len(trace) + 1)) and set(reel.frames.values()) == {1}
    assert reel.graph is trace.graph and reel.notes == ()


@pytest.mark.parametrize("make", [chain, training])
def test_a_long_one_is_small_complete_in_its_count_and_says_so(make: Any, tmp_path: Path) -> None:
    trace = make(40)
    reel = reel_of(trace)
    assert len(reel.graph.nodes) <= reels.MOST_BOXES + 4 and len(reel.frames) <= reels.MOST_FRAMES
    assert sum(reel.frames.values()) == len(trace) + 1 and list(reel.frames)[-1] == len(trace)
    (note,) = reel.notes
    page = tp.viz.stepper(trace).to_html(tmp_path / "page.html", engine="built-in")
    assert note in page.read_text(encoding="utf-8") and page.stat().st_size < 400_000
    assert f"of {len(trace):,} steps pass unseen" in note


@pytest.mark.parametrize("make", [chain, training])
def test_its_frames_show_what_is_true(make: Any) -> None:
    trace = make(40)
    made, reel, end = film(trace), reel_of(trace), trace.at(-1)
    items = last_items(made)
    assert len(made["frames"]) == len(reel.frames) == len(made["labels"]) == len(made["about"])
    for node in reel.graph.nodes:
        if not node.folded:
            assert items[node.id][3]["value"] == json.dumps(end.values[node.id].tolist())
    folded = [node.id for node in reel.graph.nodes if node.folded]
    assert folded and all("freed" in items[name][0] and "ahead" not in items[name][0] for name in folded)
    drawn = {edge.id for edge in reel.graph.edges} | {node.id for node in reel.graph.nodes}
    assert set(items) == drawn


def test_the_steps_about_a_folded_box_pass_at_once() -> None:
    made = film(chain(40))
    passing = [k for k, kind in enumerate(made["kinds"]) if kind == "passing"]
    assert len(passing) == 2  # forward, and back
    said = "".join(text for _, text in made["frames"][passing[0]]["say"])
    assert said.endswith("pass at once, up to step 37 of the recording, so that the page stays small.")


def test_no_bar_ends_before_it_begins() -> None:
    bars = film(training(40))["bars"]
    assert bars and all(end is None or start <= end for _, start, end, _ in bars)
