"""The player's page and its notebook form: complete, closed, and safe with any name."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.errors import TraceError
from tensorplay.viz import Stepper, Trace
from tensorplay.viz.player import page as pages
from tensorplay.viz.player.frames import _everything, _node, film, stage_graph


def small(title: str = "") -> Trace:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record(title=title) as trace:
        b = x * 3
        y = b * x + b
        y.backward()
    return trace


def mlp_step() -> Trace:
    """A training step of the size the demo shows: 64-32-10, batch 8."""
    model = tp.nn.Sequential(tp.nn.Linear(64, 32), tp.nn.ReLU(), tp.nn.Linear(32, 10))
    opt = tp.optim.SGD(model.parameters(), lr=0.1)
    x, t = tp.rand(8, 64), tp.randint(0, 10, (8,))
    with tp.viz.record() as trace:
        loss = tp.nn.functional.cross_entropy(model(x), t)
        loss.backward()
        opt.step()
        opt.zero_grad()
    return trace


# ------------------------------------------------------------------------------------------ frames


def folded(made: dict[str, Any]) -> list[dict[str, Any]]:
    """What the page's script does with the differences."""
    frames: list[dict[str, Any]] = []
    for change in made["frames"]:
        last = frames[-1] if frames else {"items": {}}
        frames.append({**last, **change, "items": {**last["items"], **change["items"]}})
    return frames


@pytest.mark.parametrize("make", [small, mlp_step])
def test_differences_fold_to_complete_frames(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking only at the boxes a step touches misses nothing."""
    trace = make()
    quick = folded(film(trace))
    monkeypatch.setattr("tensorplay.viz.player.frames._also", lambda trace, step: _everything(trace))
    assert quick == folded(film(trace))


def test_neighbouring_frames_differ_in_the_expected_items_only() -> None:
    frames = film(small())["frames"]
    changed = [sorted(frame["items"]) for frame in frames]
    assert changed[0] == sorted(["t1", "n1", "n2", "n3", "e1", "e2", "e3", "e4", "e5"])
    assert changed[2] == ["e2", "e3", "n1", "n2"]  # b·x is computed; b is no longer the newest
    assert changed[6] == ["e2", "e3", "e4", "e5", "n1", "n2", "n3", "t1"]  # b·x sends; y's gradients have arrived
    assert changed[7] == ["e2", "e3", "n2"]  # only the freed box and the edges that stop carrying
    assert changed[9] == ["t1"] or changed[9] == ["n1", "t1"] or "t1" in changed[9]


def test_the_stage_has_room_for_every_text() -> None:
    trace = small()
    graph = stage_graph(trace)
    for k in range(len(trace) + 1):
        for node in trace.graph.nodes:
            item = _node(trace, trace.at(k), node.id)
            room = graph[node.id].value
            assert room is not None and len(item.value) <= len(room.text)


# -------------------------------------------------------------------------------------------- page


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_page_is_one_closed_file(tmp_path: Path) -> None:
    text = Stepper(small()).to_html(tmp_path / "p.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://", text)
    tags = Page(text).tags
    assert not [tag for tag, attrs in tags if tag in ("link", "iframe", "img", "object") or "src" in attrs]
    policy = next(a["content"] for tag, a in tags if a.get("http-equiv") == "Content-Security-Policy") or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy


def test_page_is_the_same_on_every_run(tmp_path: Path) -> None:
    first = Stepper(small()).to_html(tmp_path / "a.html", engine="built-in").read_bytes()
    tp.ones(2, requires_grad=True).sum().backward()
    assert Stepper(small()).to_html(tmp_path / "b.html", engine="built-in").read_bytes() == first


def test_page_of_a_training_step_is_small(tmp_path: Path) -> None:
    assert Stepper(mlp_step()).to_html(tmp_path / "p.html").stat().st_size < 400_000


EVIL = '<img src=x onerror="alert(1)">&</script><script>alert(2)</script>\n"\'\u2028é'


def test_names_are_never_markup(tmp_path: Path) -> None:
    trace = small(title=EVIL)
    player = Stepper(trace, title=EVIL)
    text = player.to_html(tmp_path / "p.html").read_text(encoding="utf-8")
    tags = [tag for tag, _ in Page(text).tags]
    assert "img" not in tags and tags.count("script") == 2
    data = re.search(r'<script type="application/json" id="film">(.*?)</script>', text, re.S)
    assert data is not None and json.loads(data[1])["title"] == EVIL
    still = Page(player.static_html()).tags
    assert [a.get("onerror") for _, a in still if "onerror" in a] == []
    assert "script" not in [tag for tag, _ in still]


def test_extra_sections_and_theme(tmp_path: Path) -> None:
    extra = '<section><h2>Accuracy</h2><img alt="curve" src="data:image/png;base64,AA=="></section>'
    text = Stepper(small()).to_html(tmp_path / "p.html", title="Mine", extra=extra, theme="dark").read_text("utf-8")
    assert extra in text and "<title>Mine</title>" in text and '<html lang="en" data-theme="dark">' in text


def test_ids_in_one_document_stay_apart() -> None:
    trace = small()
    both = pages.markup(trace, "a", prefix="player1-") + pages.markup(trace, "b", prefix="player2-")
    ids = [attrs["id"] for _, attrs in Page(both).tags if "id" in attrs]
    assert len(ids) == len(set(ids)) and ids
    for name in re.findall(r"url\(#([^)]+)\)", both):
        assert name in ids


def test_the_script_is_small() -> None:
    assert len(pages.script().encode()) < 60_000


# ---------------------------------------------------------------------------------- saving, showing


def test_save_by_ending(tmp_path: Path) -> None:
    trace = small()
    player = tp.viz.stepper(trace, title="y")
    assert Trace.from_json(player.save(tmp_path / "t.json").read_text("utf-8")) == trace
    assert player.save(tmp_path / "t.md").read_text("utf-8").splitlines()[0] == "# y"
    assert player.save(tmp_path / "t.svg").read_text("utf-8").startswith("<svg")
    assert "<!doctype html>" in player.save(tmp_path / "t.html").read_text("utf-8")
    with pytest.raises(TraceError, match=r"cannot save a stepper as \.gif: use \.html, \.json, \.md or \.svg"):
        player.save(tmp_path / "t.gif")


def test_only_traces_are_played() -> None:
    with pytest.raises(TypeError, match=r"got Tensor. For a loss, use tp.viz.step\(loss\)"):
        tp.viz.stepper(tp.ones(1))  # type: ignore[arg-type]


def test_static_form_is_sanitiser_proof() -> None:
    html = Stepper(small()).static_html()
    tags = Page(html).tags
    assert {tag for tag, _ in tags} <= {"div", "p", "b", "img", "details", "summary", "table", "tr", "th", "td"}
    images = [attrs for tag, attrs in tags if tag == "img"]
    assert [(a["alt"] or "").split(":")[0] for a in images] == ["Step 0 of 10", "Step 10 of 10"]
    first, last = (base64.b64decode((a["src"] or "").split(",")[1]).decode() for a in images)
    assert first.startswith("<svg") and "grad 15.0" not in first and "grad 15.0" in last
    assert html.index("<img") < html.index("<table")
    assert "Run the cell or trust the notebook" in html


def test_bundle_has_html_and_words() -> None:
    player = Stepper(small())
    bundle = player._repr_mimebundle_()
    assert list(bundle) == ["text/html", "text/plain"] and bundle["text/plain"] == str(player)


def test_a_kernel_shows_still_form_then_player(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display", reason="IPython is not installed")
    shown: list[Any] = []
    monkeypatch.setattr(display, "display", lambda thing, **options: shown.append(thing))
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    Stepper(small())._ipython_display_()
    assert [list(thing) for thing in shown] == [["text/html", "text/plain"]]


def test_the_widget_carries_the_same_film() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    player = Stepper(small())
    widget = player.widget()
    assert widget.film == film(player.trace) and "export default" in pages.script()
    assert 'class="tp-player' in widget.markup and widget.stills.startswith("tp-stills-")
    widget.close()


@pytest.mark.parametrize("name", ["half \ud83d", "two\nlines", "\x1b[31mred", "\u202eback", "x" * 17_000])
def test_a_name_that_no_file_can_hold_still_plays(name: str, tmp_path: Path) -> None:
    trace = small(title=name)
    node = trace.graph.nodes[0]
    object.__setattr__(node, "label", name)
    player = Stepper(trace)
    for ending in ("html", "json", "md", "svg"):
        assert player.save(tmp_path / f"p.{ending}").stat().st_size < 300_000
    assert Trace.from_json((tmp_path / "p.json").read_text(encoding="utf-8")) == trace
    assert len(str(player).splitlines()) == len(trace) + 2 and "\x1b" not in str(player)
    assert all(len(line) < 400 for line in str(player).splitlines()[1:])
