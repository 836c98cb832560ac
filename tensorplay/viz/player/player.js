/**
 * The step-through player: one module for the notebook widget and for the standalone page.
 *
 * Python has already worked out every frame (see frames.py). This script folds the differences up to step k and
 * sets classes and texts. Frame k depends on nothing but k, so stepping back shows what stepping forward showed.
 * Whatever comes from the user's program is set as text, never as markup.
 */

/**
 * @typedef {[classes: string, value: string, grad: string, data: Object<string, string>]} Item  A box or an edge.
 * @typedef {[role: string, text: string]} Word
 * @typedef {{title: string, lines: [style: string, words: Word[], data: Object<string, string>][]}} Card
 * @typedef {{say: Word[], phase: string, line: ?number, live: number, step: Card, way: Card, why: Card,
 *            items: Object<string, Item>}} Frame
 * @typedef {Object} Film  What frames.py makes: constants, and `frames` as differences.
 */

const MARK = 64; // a complete frame is remembered this often, so that any step is at most 63 differences away
const BEAT = 1400; // milliseconds a step, at speed 1

/** Frame k as a function of k. @param {Film} film @returns {(k: number) => Frame} */
export function frameReader(film) {
  const marks = [];
  const working = { items: {} };
  film.frames.forEach((change, k) => {
    apply(working, change);
    if (k % MARK === 0) marks.push({ ...working, items: { ...working.items } });
  });
  return (k) => {
    const mark = marks[Math.floor(k / MARK)];
    const frame = { ...mark, items: { ...mark.items } };
    for (let i = Math.floor(k / MARK) * MARK + 1; i <= k; i++) apply(frame, film.frames[i]);
    return frame;
  };
}

/** @param {Frame} frame @param {Partial<Frame>} change */
function apply(frame, change) {
  const items = Object.assign(frame.items, change.items);
  Object.assign(frame, change, { items });
}

// ------------------------------------------------------------------------------------- small tools

/** @param {string} tag @param {string} [css] @param {string} [text] */
function make(tag, css, text) {
  const element = document.createElement(tag);
  if (css) element.className = css;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @param {Element} element @param {Object<string, string>} data */
function setData(element, data) {
  for (const name of Object.keys(element.dataset)) {
    if (!(name in data) && !KEPT.has(name)) delete element.dataset[name];
  }
  for (const [name, text] of Object.entries(data)) element.dataset[name] = text;
}
const KEPT = new Set(["id", "source", "target", "slot"]);

/** @param {Word[]} words */
function spans(words) {
  return words.map(([role, text]) => make(role ? "b" : "span", role, text));
}

/** @param {number} number @param {string} word */
function count(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

// -------------------------------------------------------------------------------------------- parts

/** The picture: boxes and edges that change class and text. @param {HTMLElement} root @param {Film} film */
function makeStage(root, film) {
  const scroll = root.querySelector(".scroll");
  const svg = scroll.querySelector("svg");
  const parts = new Map();
  for (const element of svg.querySelectorAll("[data-id]")) {
    const [value, grad, flow] = ["value", "grad", "flow"].map((css) => element.querySelector(`.${css}`));
    parts.set(element.dataset.id, { element, base: element.getAttribute("class"), value, grad: grad || flow });
  }
  let shown = {};

  /** @param {string} id @param {Item} item */
  function set(id, [classes, value, grad, data]) {
    const part = parts.get(id);
    if (!part) return;
    part.element.setAttribute("class", classes ? `${part.base} ${classes}` : part.base);
    if (part.value) {
      part.value.textContent = value;
      part.value.classList.toggle("none", value === "not recorded");
    }
    if (part.grad) {
      part.grad.textContent = grad;
      part.grad.classList.toggle("none", grad === "no grad");
    }
    setData(part.element, data);
    if (id in film.names) speak(part.element, id, classes, value, grad);
  }

  /** What a screen reader says of a box. */
  function speak(element, id, classes, value, grad) {
    const state = classes.split(" ").filter((word) => word === "freed" || word === "ahead");
    const words = [film.names[id], value && `value ${value}`, grad && grad.replace("grad", "gradient"), ...state];
    const text = words.filter(Boolean).join(", ").replace("ahead", "not computed yet");
    element.setAttribute("aria-label", text);
    element.querySelector("title").textContent = text;
  }

  /** Bring what happens now into view, where the picture is wider than its stage. */
  function follow(smooth) {
    const view = scroll.getBoundingClientRect();
    const boxes = (css) => [...svg.querySelectorAll(css)].map((element) => element.getBoundingClientRect());
    let busy = boxes(".node.now, .edge.flowing");
    if (!busy.length) return;
    const wide = Math.max(...busy.map((box) => box.right)) - Math.min(...busy.map((box) => box.left));
    if (wide > view.width - 24) busy = boxes(".node.now"); // not all of it fits: the box itself, then
    const side = (low, high, start, size, from) => {
      const first = Math.min(...busy.map((box) => box[low])) - start;
      const last = Math.max(...busy.map((box) => box[high])) - start;
      return first >= 12 && last <= size - 12 ? from : from + (first + last) / 2 - size / 2;
    };
    const left = side("left", "right", view.left, view.width, scroll.scrollLeft);
    const top = side("top", "bottom", view.top, view.height, scroll.scrollTop);
    scroll.scrollTo({ left, top, behavior: smooth ? "smooth" : "auto" });
  }

  /** Small pictures grow a little, large ones keep readable letters and scroll, unless all of it is asked for. */
  function resize() {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const whole = Math.min((scroll.clientWidth - 2) / width, 1.25);
    const readable = whole >= 0.84;
    const scale = readable || root.classList.contains("whole") ? whole : 1;
    svg.style.width = `${Math.floor(width * scale)}px`;
    svg.style.height = `${Math.floor(height * scale)}px`;
    root.querySelector(".fit").hidden = readable;
  }

  return {
    scroll,
    resize,
    follow,
    render(frame) {
      for (const [id, item] of Object.entries(frame.items)) {
        if (shown[id] !== item) set(id, item);
      }
      shown = frame.items;
    },
  };
}

/** A card: its title and lines of words. @param {HTMLElement} element */
function makeCard(element) {
  const [title, body] = [element.querySelector("h2"), element.querySelector(".body")];
  /** @param {Card} card */
  return (card) => {
    title.textContent = card.title;
    body.replaceChildren(
      ...card.lines.map(([style, words, data]) => {
        const line = make("div", `line ${style}`);
        line.append(...spans(words));
        setData(line, data);
        return line;
      }),
    );
  };
}

/** Saved arrays as bars from the step that keeps them to the step that frees them. */
function makeRibbon(element, film, last) {
  const ribbon = element.querySelector(".ribbon");
  const pitch = Math.min(14, 88 / Math.max(film.bars.length, 1)); // many bars share the room of six
  const height = Math.max(1, pitch - 3);
  const bars = film.bars.map(([id, from, to, bytes], row) => {
    const bar = make("i");
    bar.style.left = `${(100 * from) / last}%`;
    bar.style.width = `${(100 * ((to ?? last) - from)) / last}%`;
    bar.style.top = `${row * pitch}px`;
    bar.style.height = `${height}px`;
    bar.title = `${film.names[id]} keeps ${count(bytes, "byte")}`;
    return { bar, from, to: to ?? Infinity };
  });
  const cursor = make("u");
  ribbon.style.height = `${Math.max(1, bars.length) * pitch}px`;
  ribbon.append(...bars.map(({ bar }) => bar), cursor);
  return (frame, k) => {
    element.querySelector("h2").textContent = `Saved tensors, ${count(frame.live, "byte")} live`;
    element.dataset.live = frame.live;
    bars.forEach(({ bar, from, to }) => {
      bar.className = k < from ? "ahead" : k < to ? "live" : "gone";
    });
    cursor.style.left = `${(100 * k) / last}%`;
  };
}

/** The program's lines around the one that made what happens now. */
function makeCode(element, film) {
  const [title, body] = [element.querySelector("h2"), element.querySelector(".body")];
  element.hidden = film.lines.length === 0;
  return (frame) => {
    const on = frame.line;
    const file = film.lines[on ?? 0]?.[0];
    const near = film.lines.map((line, i) => [...line, i]).filter((line) => line[0] === file);
    near.sort((a, b) => a[1] - b[1]);
    const middle = Math.max(near.findIndex((line) => line[3] === on), 0);
    const first = Math.max(0, Math.min(middle - 3, near.length - 7));
    title.textContent = file ? `Code, ${file}` : "Code";
    body.replaceChildren(
      ...near.slice(first, first + 7).map(([, number, text, i]) => {
        const line = make("div", i === on ? "line on" : "line");
        line.append(make("span", "number", String(number)), make("code", "", text));
        return line;
      }),
    );
  };
}

/** The track with its phases, and the slider that lies over it. */
function makeTrack(root, film, last, go) {
  const track = root.querySelector(".track");
  const slider = track.querySelector("input");
  const cursor = make("u");
  const runs = film.phases.map(([phase, from, to]) => {
    const share = (to - from + 1) / last;
    const run = make("span", `run ${phase}`, share > 0.04 ? phase : ""); // no room for half a word
    run.title = phase;
    run.style.left = `${(100 * (from - 1)) / last}%`;
    run.style.width = `${100 * share}%`;
    return run;
  });
  slider.max = String(last);
  slider.addEventListener("input", () => go(Number(slider.value)));
  track.prepend(...runs, cursor);
  return (k, text) => {
    slider.value = String(k);
    slider.setAttribute("aria-valuetext", text);
    cursor.style.left = `${(100 * Math.max(k - 0.5, 0)) / last}%`;
  };
}

// ------------------------------------------------------------------------------------------- player

/**
 * Bring a player to life.
 * @param {HTMLElement} root the element made by page.py
 * @param {Film} film
 * @param {{hash?: boolean}} [options] hash: keep the step in the page's address
 */
export function mount(root, film, options = {}) {
  const last = film.frames.length - 1;
  const span = Math.max(last, 1);
  const frameAt = frameReader(film);
  const find = (css) => root.querySelector(css);
  const stage = makeStage(root, film);
  const cards = ["step", "way", "why"].map((name) => [name, makeCard(find(`.card.${name}`))]);
  const ribbon = makeRibbon(find(".card.saved"), film, span);
  const code = makeCode(find(".card.code"), film);
  const track = makeTrack(root, film, span, go);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const stop = new AbortController();
  let now = -1;
  let timer = 0;

  function render(k) {
    const frame = frameAt(k);
    const where = `step ${k} of ${last}`;
    root.dataset.step = String(k);
    root.dataset.phase = frame.phase;
    find(".phase").textContent = frame.phase;
    find(".count").textContent = where;
    find(".say").replaceChildren(...spans(frame.say));
    find(".next").textContent = k < last ? `Next: ${film.labels[k + 1]}` : "This is the last step.";
    stage.render(frame);
    for (const [name, card] of cards) card(frame[name]);
    ribbon(frame, k);
    code(frame);
    track(k, `${where}: ${film.labels[k]}`);
    for (const name of ["first", "previous"]) find(`[data-go=${name}]`).disabled = k === 0;
    for (const name of ["next", "last"]) find(`[data-go=${name}]`).disabled = k === last;
  }

  /** @param {number} k */
  function go(k) {
    const step = Math.max(0, Math.min(last, Math.round(k) || 0));
    if (step === now) return;
    const focus = document.activeElement;
    now = step;
    render(step);
    stage.follow(!calm.matches);
    if (focus?.disabled && root.contains(focus)) root.focus({ preventScroll: true });
    if (options.hash) remember(step);
  }

  function remember(step) {
    if (location.hash === `#step=${step}`) return;
    try {
      history.replaceState(null, "", `#step=${step}`);
    } catch {
      location.hash = `step=${step}`; // browsers that forbid replaceState on file: pages, or too many calls
    }
  }

  function play(on) {
    clearInterval(timer);
    timer = 0;
    if (on && now === last) go(0);
    if (on) timer = setInterval(tick, BEAT / Number(find(".speed").value));
    find("[data-go=play]").textContent = on ? "Pause" : "Play";
    find(".say").setAttribute("aria-live", on ? "off" : "polite");
  }

  function tick() {
    go(now + 1);
    if (now === last || !root.isConnected) play(false);
  }

  /** The next step of the same kind as this one, before (-1) or after (+1) it. */
  function same(direction) {
    for (let k = now + direction; k >= 0 && k <= last; k += direction) {
      if (film.kinds[k] === film.kinds[now]) return k;
    }
    return now;
  }

  /** The next step about a box, round and round. */
  function about(id) {
    const steps = film.about.flatMap((ids, k) => (ids.includes(id) ? [k] : []));
    return steps.find((k) => k > now) ?? steps[0] ?? now;
  }

  function fit() {
    root.classList.toggle("whole");
    find(".fit").setAttribute("aria-pressed", String(root.classList.contains("whole")));
    stage.resize();
    stage.follow(false);
  }

  const actions = {
    first: () => go(0),
    previous: () => go(now - 1),
    play: () => play(!timer),
    next: () => go(now + 1),
    last: () => go(last),
    fit,
  };

  const keys = {
    ArrowLeft: actions.previous,
    ArrowUp: actions.previous,
    ArrowRight: actions.next,
    ArrowDown: actions.next,
    Home: actions.first,
    End: actions.last,
    PageUp: () => go(now - 10),
    PageDown: () => go(now + 10),
    " ": actions.play,
    "[": () => go(same(-1)),
    "]": () => go(same(1)),
    f: fit,
    Escape: () => document.activeElement?.blur(),
  };

  /** Keys count only while the focus is inside; a button keeps Space, a list its arrows. @param {KeyboardEvent} event */
  function onKey(event) {
    event.stopPropagation();
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select")) return;
    if (event.key === " " && target.closest("button")) return;
    if (event.key === "Enter" && target.closest(".node")) return go(about(target.closest(".node").dataset.id));
    if (!(event.key in keys)) return;
    event.preventDefault();
    if (event.key !== " " && timer) play(false);
    keys[event.key]();
  }

  function onClick(event) {
    const button = event.target.closest("[data-go]");
    const box = event.target.closest(".node");
    if (button) {
      if (button.dataset.go !== "play" && button.dataset.go !== "fit" && timer) play(false);
      actions[button.dataset.go]();
    } else if (box) go(about(box.dataset.id));
  }

  function fromAddress() {
    const match = /(?:^#|&)step=(\d+)/.exec(location.hash);
    return match ? Number(match[1]) : null;
  }

  const listen = (target, kind, callback) => target.addEventListener(kind, callback, { signal: stop.signal });
  listen(root, "keydown", onKey);
  listen(root, "click", onClick);
  listen(find(".speed"), "change", () => timer && play(true));
  if (options.hash) listen(window, "hashchange", () => go(fromAddress() ?? now));
  const watcher = new ResizeObserver(() => stage.resize());
  watcher.observe(stage.scroll);
  stage.resize();
  go((options.hash && fromAddress()) || 0);
  root.dataset.ready = "true";

  return () => {
    play(false);
    stop.abort();
    watcher.disconnect();
  };
}

// ---------------------------------------------------------------------------------- anywidget's door

/** @param {{model: {get(name: string): any}, el: HTMLElement}} widget */
function render({ model, el }) {
  el.innerHTML = model.get("markup"); // made by page.py, which escapes all names
  for (const still of document.getElementsByClassName(model.get("stills"))) still.hidden = true;
  return mount(el.firstElementChild, model.get("film"));
}

export default { render };
