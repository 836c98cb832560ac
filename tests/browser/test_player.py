"""The saved page, opened as a file and driven like a reader would: what is on screen is what the engine computes.

The numbers compared with come from runs that nobody recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.viz import Trace
from tensorplay.viz.player import page as pages
from tests.browser.driving import data, dom, go, node_named, ready, step, steps_of

pytestmark = pytest.mark.browser


# ----------------------------------------------------------------------------------------- programs


def small(passes: int = 1) -> tuple[Any, Any, Any]:
    """x, b and y of the example; b keeps its gradient so that an unrecorded run can tell it."""
    x = tp.tensor([2.0, -0.3], requires_grad=True)
    for _ in range(passes):
        b = x * 3.1
        b.retain_grad()
        y = (b * x + b).sum()
        y.backward()
    return x, b, y


def mlp() -> tuple[Any, Any]:
    """One training step of a 64-32-10 network on 8 examples."""
    tp.manual_seed(5)
    model = tp.nn.Sequential(tp.nn.Linear(64, 32), tp.nn.ReLU(), tp.nn.Linear(32, 10))
    opt = tp.optim.SGD(model.parameters(), lr=0.1)
    x, t = tp.rand(8, 64), tp.randint(0, 10, (8,))
    loss = tp.nn.functional.cross_entropy(model(x), t)
    loss.backward()
    opt.step()
    return model, loss


def recorded(passes: int = 1) -> Trace:
    """The example, recorded where its variables have names."""
    with tp.viz.record() as trace:
        x, b, y = small(passes)
    del x, b, y
    return trace


def recorded_mlp() -> Trace:
    with tp.viz.record() as trace:
        model, loss = mlp()
    del model, loss
    return trace


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Trace], tuple[Trace, Path]]:
    """Save a trace's page."""

    def save(trace: Trace) -> tuple[Trace, Path]:
        return trace, tp.viz.stepper(trace, title="A test").to_html(tmp_path / "player.html")

    return save


# ----------------------------------------------------------------------- there and back, by keyboard


def test_frames_going_back_equal_frames_going_forward(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    opened = open_file(path)
    page = ready(opened)
    forward = []
    for k in range(len(trace) + 1):
        assert step(page) == k
        forward.append(dom(page))
        page.keyboard.press("ArrowRight")
    assert step(page) == len(trace)  # the last press had nowhere to go
    backward = []
    for k in reversed(range(len(trace) + 1)):
        assert step(page) == k
        backward.append(dom(page))
        page.keyboard.press("ArrowLeft")
    different = [k for k, pair in enumerate(zip(forward, backward[::-1], strict=True)) if pair[0] != pair[1]]
    assert different == [] and len(set(forward)) == len(forward)
    assert opened.requests == [] and opened.complaints == []


def test_any_order_of_steps_reaches_the_same_frames(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded_mlp())
    page = ready(open_file(path, reduced_motion="reduce"))
    frames = {}
    for k in (0, len(trace), 3, len(trace) - 2, 12, 3, 0, 12, len(trace)):
        go(page, k)
        frames.setdefault(k, dom(page))
        assert dom(page) == frames[k]


def test_buttons_slider_and_keys(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    last = len(trace)
    press = page.keyboard.press
    page.click("[data-go=last]")
    assert step(page) == last and page.is_disabled("[data-go=next]")
    page.click("[data-go=previous]")
    assert step(page) == last - 1
    page.click("[data-go=first]")
    assert step(page) == 0 and page.is_disabled("[data-go=previous]")
    page.click("[data-go=next]")
    assert step(page) == 1
    for key, expected in (("End", last), ("PageUp", last - 10), ("PageDown", last), ("Home", 0), ("ArrowDown", 1)):
        press(key)
        assert step(page) == max(expected, 0), key
    page.fill(".track input", "4")
    assert step(page) == 4 and page.get_attribute(".track input", "aria-valuetext").startswith(f"step 4 of {last}")
    press("ArrowRight")
    assert step(page) == 5


def test_keys_do_nothing_while_the_focus_is_elsewhere(tmp_path: Path, open_file: Any) -> None:
    extra = "<p><label>Name <input id=other></label></p>"
    path = tp.viz.stepper(recorded()).to_html(tmp_path / "p.html", extra=extra)
    page = ready(open_file(path))
    page.focus("#other")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert step(page) == 0 and page.input_value("#other") == " "


def test_play_runs_to_the_end_and_stops(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    assert page.text_content("[data-go=play]") == "Play" and step(page) == 0  # nothing moves by itself
    page.select_option(".speed", "0.25")
    go(page, len(trace) - 2)
    page.focus(".tp-player")
    page.keyboard.press("Space")
    assert page.text_content("[data-go=play]") == "Pause" and page.get_attribute(".say", "aria-live") == "off"
    page.select_option(".speed", "4")
    page.wait_for_selector(f".tp-player[data-step='{len(trace)}']")
    page.wait_for_selector("[data-go=play]:text-is('Play')")
    assert page.get_attribute(".say", "aria-live") == "polite"


def test_the_address_holds_the_step(saved: Any, open_file: Any) -> None:
    _, path = saved(recorded())
    page = ready(open_file(path, "#step=7"))
    assert step(page) == 7
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#step=8"
    go(page, 2)
    page.evaluate("location.hash = 'step=9999'")
    page.wait_for_selector("[data-go=next]:disabled")


# ------------------------------------------------------------------------- numbers on the screen


def test_gradients_on_screen_equal_an_unrecorded_run(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    x, b, y = small()
    page = ready(open_file(path))
    page.keyboard.press("End")
    assert data(page, f"#{node_named(trace, 'x')}", "grad") == x.grad.tolist()
    assert data(page, f"#{node_named(trace, 'b')}", "grad") == b.grad.tolist()
    assert data(page, f"#{node_named(trace, 'y')}", "grad") == 1.0
    assert data(page, f"#{node_named(trace, 'b')}", "value") == b.tolist()
    assert data(page, f"#{node_named(trace, 'y')}", "value") == y.item()


def test_every_visit_shows_the_gradient_and_what_it_sends(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    x, b, _ = small()
    page = ready(open_file(path))
    name = node_named(trace, "b")
    visit = next(k for k in steps_of(trace, "visit") if trace.events[k - 1].about == (name,))
    go(page, visit)
    assert page.get_attribute(f"#{name}", "class").split()[-1] in ("now", "freed")
    assert data(page, f"#{name}", "grad") == b.grad.tolist()
    (edge,) = (e.id for e in trace.graph.into(name))
    assert "flowing" in page.get_attribute(f"#{edge}", "class")
    assert data(page, f"#{edge}", "grad") == [float(g) for g in (b.grad * 3.1).tolist()]
    assert page.locator(".card.step .line[data-grad]").count() == 2
    total = data(page, f"#{node_named(trace, 'x')}", "waiting")
    assert total == x.grad.tolist()


def test_accumulation_shows_before_increment_and_after(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded(passes=2))
    once, twice = small()[0].grad.tolist(), small(passes=2)[0].grad.tolist()
    leaf = node_named(trace, "x")
    first, second = (k for k in steps_of(trace, "accumulate") if trace.events[k - 1].about == (leaf,))
    page = ready(open_file(path))
    line = ".card.step .line.addition"
    go(page, first)
    assert [data(page, line, name) for name in ("before", "increment", "after")] == [None, once, once]
    assert "none" in page.text_content(line)
    go(page, second)
    assert [data(page, line, name) for name in ("before", "increment", "after")] == [once, once, twice]
    shown = [page.text_content(f"{line} .{name}") for name in ("before", "increment", "after")]
    assert all(re.fullmatch(r"\[-?[\d.]+, -?[\d.]+\]", text) for text in shown) and shown[0] == shown[1] != shown[2]
    assert "now" in page.get_attribute(f"#{leaf}", "class").split()


def test_a_training_step_of_a_network(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded_mlp())
    model, loss = mlp()
    parameters = dict(model.named_parameters())
    opened = open_file(path)
    page = ready(opened)
    go(page, steps_of(trace, "ended")[0])
    for name, parameter in parameters.items():
        shown, grad = data(page, f"#{node_named(trace, name)}", "grad"), parameter.grad.numpy()
        if isinstance(shown, dict):
            assert shown["sum"] == grad.sum(dtype="float64")
            assert (shown["min"], shown["max"]) == (grad.min(), grad.max())
            assert shown["head"] == grad.reshape(-1)[:4].tolist() and shown["shape"] == list(grad.shape)
        else:
            assert shown == grad.tolist()
    assert data(page, f"#{node_named(trace, 'loss')}", "value") == loss.item()
    page.keyboard.press("End")
    for name, parameter in parameters.items():
        shown, value = data(page, f"#{node_named(trace, name)}", "value"), parameter.detach().numpy()
        assert (shown["min"] if isinstance(shown, dict) else value.min()) == value.min()
        assert "stepped" in page.get_attribute(f"#{node_named(trace, name)}", "class").split()
    assert opened.requests == [] and opened.complaints == []


# ----------------------------------------------------------------------------------- freed, and why


def test_freed_nodes_are_marked_from_their_step_on(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    for k in range(len(trace) + 1):
        go(page, k)
        marked = page.eval_on_selector_all(".node.freed", "nodes => nodes.map(n => n.dataset.id)")
        assert set(marked) == trace.at(k).freed
        assert page.get_attribute(".card.saved", "data-live") == str(trace.at(k).live_bytes)
    visible = page.eval_on_selector_all(
        ".node.freed .state", "texts => texts.map(t => [t.textContent, getComputedStyle(t).visibility])"
    )
    assert visible and all(pair == ["freed", "visible"] for pair in visible)


def test_neighbouring_frames_differ_in_the_expected_nodes_only(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    read = """() => Object.fromEntries([...document.querySelectorAll('.tp-graph [data-id]')]
              .map(e => [e.dataset.id, e.outerHTML]))"""
    before = page.evaluate(read)
    for k, event in enumerate(trace.events, 1):
        page.keyboard.press("ArrowRight")
        after = page.evaluate(read)
        changed = {name for name in after if after[name] != before[name]}
        a, b = trace.at(k - 1), trace.at(k)
        expected = set(a.now) | set(b.now) | set(a.flow) | set(b.flow) | {s.target for s in getattr(event, "sent", ())}
        if event.kind == "op":
            expected |= {edge.id for edge in trace.graph.into(event.about[0])}
        if event.kind in ("backward", "ended"):
            expected |= set(a.pending) | set(b.pending)
        assert changed <= expected and set(event.about) <= changed | set(a.now), (k, event.kind)
        before = after


def test_the_line_of_the_program_is_marked(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    for k in range(1, len(trace) + 1):
        line = trace.events[k - 1].line
        go(page, k)
        shown = page.eval_on_selector_all(".card.code .on code", "lines => lines.map(l => l.textContent)")
        assert shown == ([] if line is None else [trace.lines[line].text])


def test_a_click_on_a_box_goes_to_its_next_step(saved: Any, open_file: Any) -> None:
    trace, path = saved(recorded())
    page = ready(open_file(path))
    name = node_named(trace, "b")
    steps = [k for k, event in enumerate(trace.events, 1) if name in event.about]
    for expected in (*steps, steps[0]):
        page.click(f"#{name}")
        assert step(page) == expected


# ------------------------------------------------------------------------------------- as a widget


def test_two_widgets_in_one_document(chromium: Any) -> None:
    """The module's other door: `render` gets a model and an element, as anywidget calls it."""
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    player = tp.viz.stepper(recorded())
    widgets = [player.widget(), player.widget()]
    models = [{name: getattr(w, name) for name in ("markup", "film", "stills")} for w in widgets]
    stills = "".join(f"<div class={w.stills}>still</div>" for w in widgets)
    page = chromium.new_page(reduced_motion="reduce")
    element = "document.getElementById('w{}')"
    calls = "".join(
        f"globalThis.stop{i} = render({{model: {{get: (name) => models[{i}][name]}}, el: {element.format(i)}}});"
        for i in range(2)
    )
    code = f"{pages.script()}\nconst models = {json.dumps(models)};\n{calls}".replace("</", "<\\/")
    page.set_content(f"{stills}<div id=w0></div><div id=w1></div><script type=module>{code}</script>")
    page.wait_for_selector("#w1 .tp-player[data-ready]")
    assert page.locator("text=still").count() == 0 or not page.is_visible("text=still")
    page.focus("#w1 .tp-player")
    page.keyboard.press("ArrowRight")
    steps = [page.get_attribute(f"#w{i} .tp-player", "data-step") for i in range(2)]
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert steps == ["0", "1"] and len(ids) == len(set(ids))
    assert "now" in page.get_attribute("#w1 [data-id=n1]", "class").split()
    page.evaluate("stop1()")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#w1 .tp-player", "data-step") == "1"
    page.close()
    for widget in widgets:
        widget.close()


# -------------------------------------------------------------------------------- safety, readability


def test_a_hostile_title_stays_text(tmp_path: Path, open_file: Any) -> None:
    evil = "<img src=x onerror=\"document.title='owned'\">&'\" é</script>\n<b>"
    with tp.viz.record(title=evil) as trace:
        kept = small()
    del kept
    opened = open_file(tp.viz.stepper(trace).to_html(tmp_path / "p.html"))
    page = ready(opened)
    page.keyboard.press("End")
    assert page.text_content(".title") == evil
    assert page.locator(".tp-player img, .title b").count() == 0 and opened.requests == []


def test_scripts_in_extra_sections_do_not_run(tmp_path: Path, open_file: Any) -> None:
    extra = "<script>document.title = 'owned'</script><img alt='' src='https://example.org/x.png'><p>below</p>"
    opened = open_file(tp.viz.stepper(recorded(), title="mine").to_html(tmp_path / "p.html", extra=extra))
    page = ready(opened)
    assert page.title() == "mine" and page.text_content(".tp-extra p") == "below"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_themes(saved: Any, open_file: Any, scheme: str) -> None:
    """WCAG contrast of 4.5:1 for every text of the page against what is behind it."""
    _, path = saved(recorded())
    page = ready(open_file(path, "#step=8", color_scheme=scheme, reduced_motion="reduce"))
    poor = page.evaluate(CONTRAST)
    assert poor == []


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] > 200) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll('.tp-player *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest('[hidden], :disabled, .ahead, title') || element.matches('option')) continue;
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden') continue;
    const text = light(rgba(element.closest('svg') ? style.fill : style.color));
    const ground = light(behind(element));
    const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (ratio < 4.5) poor.push([element.className.baseVal ?? element.className, element.textContent, ratio]);
  }
  return poor;
}"""


def test_a_long_chain_is_small_and_reads_the_same_both_ways(saved: Any, open_file: Any) -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    with tp.viz.record() as trace:
        y = x
        for _ in range(400):
            y = y * 1.0001
        y.sum().backward()
    trace, path = saved(trace)
    opened = open_file(path)
    page = ready(opened)
    last = int(page.get_attribute(".track input", "max"))
    assert last < 40 and path.stat().st_size < 200_000
    look = "() => ['.say', '.cards', '.scroll'].map((part) => document.querySelector(part).textContent)"
    forward = [page.evaluate(look)]
    for key, seen in (("ArrowRight", forward), ("ArrowLeft", back := [])):
        for _ in range(last):
            page.keyboard.press(key)
            seen.append(page.evaluate(look))
    assert [*back[::-1], forward[-1]] == forward
    assert "steps pass unseen" in page.text_content(".notes") and opened.complaints == []
