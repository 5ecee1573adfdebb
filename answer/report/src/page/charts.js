// Lets a reader point, zoom and choose in the pictures that are already in the page. Nothing is drawn here: lines move with
// the view box of their window, and every word stands in the picture (svg/plot.rs), so that this knows no scale and no unit.
(() => {
"use strict";
performance.mark("prazo-charts-start");
/** As many lines as there are colours can be told apart at once; of more, a part is shown first. */
const AT_ONCE = 6;
/** The smallest part of an axis that a zoom shows; never less than three of its finest ticks. */
const DEEPEST = 1 / 60;
/** Pixels that a tick takes at least. */
const TICK = 72;
/** About the width of a letter of a tick's name, and the least gap between two names (svg/labels.rs). */
const LETTER = 8.3;
const LABEL_GAP = 8;
/** Letters of a value that find room beside its line's name. */
const SHORT = 12;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

/** Which lines are shown: one choice for all charts, so that a run hidden in one is not met again in the next. */
class Selection {
  constructor(labels) { this.labels = labels; this.hidden = new Set(); this.followers = []; }
  shows(label) { return !this.hidden.has(label); }
  /** True where any line of this run is shown; a run with several quantities has several. */
  showsRun(run) {
    const own = this.labels.filter((label) => label === run || label.startsWith(`${run}, `));
    return own.length === 0 || own.some((label) => this.shows(label));
  }
  shown() { return this.labels.filter((label) => this.shows(label)); }
  only(labels) { this.hidden = new Set(this.labels.filter((label) => !labels.includes(label))); this.changed(); }
  toggle(label) { if (!this.hidden.delete(label)) this.hidden.add(label); this.changed(); }
  /** Calls `follower` now and after each change. */
  follow(follower) { this.followers.push(follower); follower(); }
  changed() { this.followers.forEach((follower) => follower()); }
}

/** Plots over one axis: what is pointed at and how much is seen of the axis is the same in all of them. */
class Group {
  constructor() { this.plots = []; this.view = null; this.at = null; }
  point(at) { this.at = at; this.plots.forEach((plot) => plot.read()); }
  zoom(view) { this.view = view; this.plots.forEach((plot) => plot.place()); }
}

/** One picture with an axis. */
class Plot {
  constructor(svg, group, axis, selection) {
    Object.assign(this, { svg, group, axis, selection, words: JSON.parse(svg.querySelector("metadata.words").textContent) });
    this.window = svg.querySelector(".window");
    [this.left, this.top, this.width, this.height] = this.window.getAttribute("viewBox").split(" ").map(Number);
    const whole = svg.viewBox.baseVal;
    this.right = whole.width - this.left - this.width;
    this.base = whole.width;
    const keys = svg.querySelector(".names");
    this.tall = keys ? Number(keys.dataset.top) : whole.height;
    keys?.remove();
    this.ticks = svg.querySelector(".ticks");
    this.tick = this.ticks.firstElementChild;
    this.pins = [...svg.querySelectorAll(".pin")];
    this.ends = [...svg.querySelectorAll(".end")];
    this.series = [...svg.querySelectorAll(".series")].map((root) => ({ root, label: root.dataset.label, note: root.dataset.note, values: root.dataset.values.split("\n") }));
    this.cursor = shape("line", { class: "cursor", y1: this.top, y2: this.top + this.height });
    this.drag = shape("rect", { class: "drag", y: this.top, height: this.height });
    svg.append(this.cursor, this.drag);
    svg.dataset.group = axis.group;
    svg.tabIndex = 0;
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-label", `${svg.getAttribute("aria-label")}. Arrow keys move the cursor, plus and minus zoom, 0 resets.`);
    this.listen();
    group.plots.push(this);
  }

  /** The part of the axis that is seen; a group's part may lie partly outside this axis. */
  view() {
    const [low, high] = this.axis.span;
    if (!this.group.view) return [low, high];
    const [from, to] = this.group.view.map((end) => Math.min(Math.max(end, low), high));
    return to > from ? [from, to] : [low, high];
  }

  /** Where a value stands, and which value stands there. */
  x(value) { const [low, high] = this.view(); return this.left + (this.seen * (value - low)) / (high - low); }
  value(x) { const [low, high] = this.view(); return low + ((high - low) * (x - this.left)) / this.seen; }

  /** Puts everything where it belongs in the width that there is, so that letters keep their size on a narrow screen. */
  place() {
    const wide = this.svg.getBoundingClientRect().width;
    if (wide === 0) return;
    this.seen = Math.max(wide - this.left - this.right, 40);
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${this.tall}`);
    this.window.setAttribute("width", this.seen);
    const [low, high] = this.axis.span;
    const [from, to] = this.view().map((end) => this.left + (this.width * (end - low)) / (high - low));
    this.window.setAttribute("viewBox", `${from} ${this.window.getAttribute("y")} ${to - from} ${this.window.getAttribute("height")}`);
    this.placeTicks();
    for (const pin of this.pins) this.placePin(pin);
    this.placeEnds();
    for (const sign of this.svg.querySelectorAll(".right")) sign.setAttribute("transform", `translate(${wide - this.right} 0)`);
    this.placeDeadline(wide - this.right);
    for (const name of this.svg.querySelectorAll(".middle")) name.setAttribute("x", this.left + this.seen / 2);
    this.read();
  }

  /** The deadline's words stand beside the panel's name, or on the lines where both find no room above them. */
  placeDeadline(right) {
    const [name, deadline] = [".panel-name", ".right [data-inside]"].map((part) => this.svg.querySelector(part));
    if (!name || !deadline) return;
    const end = Number(name.getAttribute("x")) + name.getComputedTextLength() + LABEL_GAP;
    const isClear = end <= right - deadline.getComputedTextLength();
    deadline.setAttribute("y", isClear ? deadline.dataset.above : deadline.dataset.inside);
  }

  /** As many ticks as there is room for. */
  placeTicks() {
    const [low, high] = this.view();
    const room = Math.max(2, Math.floor(this.seen / TICK));
    const slack = (high - low) * 1e-6;
    const levels = this.axis.ticks.map((ticks) => ticks.filter(([value]) => value >= low - slack && value <= high + slack));
    const areApart = ([left, first], [right, second]) => this.x(right) - this.x(left) >= ((first.length + second.length) * LETTER) / 2 + LABEL_GAP;
    const haveRoom = (ticks) => ticks.length <= room && ticks.every((tick, at) => at === 0 || areApart(ticks[at - 1], tick));
    const fit = levels.filter((ticks) => ticks.length >= 2 && haveRoom(ticks)).sort((a, b) => b.length - a.length)[0];
    const thinned = (ticks) => ticks.reduce((kept, tick) => (kept.length === 0 || areApart(kept.at(-1), tick) ? [...kept, tick] : kept), []);
    const found = fit ?? thinned(levels.find((ticks) => ticks.length >= 2) ?? []);
    this.ticks.replaceChildren(...found.map(([value, name]) => {
      const tick = this.tick.cloneNode(true);
      tick.setAttribute("transform", `translate(${this.x(value)} 0)`);
      tick.lastElementChild.textContent = name;
      return tick;
    }));
  }

  placePin(pin) {
    const x = this.x(Number(pin.dataset.x));
    pin.setAttribute("transform", `translate(${x} 0)`);
    pin.style.visibility = x < this.left - 1 || x > this.left + this.seen + 1 ? "hidden" : "";
    const text = pin.querySelector("text");
    if (!text) return;
    const isLeft = x + text.getComputedTextLength() + 12 > this.left + this.seen;
    text.setAttribute("x", isLeft ? -6 : 6);
    text.setAttribute("text-anchor", isLeft ? "end" : "start");
  }

  /** Names at the ends of the lines that are shown: beside the end, else as near to it as no other name is (svg/ends.rs). */
  placeEnds() {
    const [gap, row, first, last] = [8, 14, this.top + 7, this.top + this.height - 7];
    const taken = [];
    for (const end of this.ends) {
      const x = this.x(Number(end.dataset.x));
      const isSeen = this.selection.shows(end.dataset.label) && x >= this.left - 1 && x <= this.left + this.seen + 1;
      end.style.visibility = isSeen ? "" : "hidden";
      if (!isSeen) continue;
      const y = Number(end.dataset.y);
      const [leader, name] = [end.querySelector(".leader"), end.querySelector(".at")];
      const width = 20 + name.querySelector("text").getComputedTextLength();
      const isFree = ([left, middle]) => left >= 0 && left + width <= this.left + this.seen + this.right && middle >= first && middle <= last
        && !taken.some((other) => left < other.left + other.width + gap && other.left < left + width + gap && Math.abs(middle - other.middle) < row);
      const found = [...this.around(x, Math.min(Math.max(y, first), last), width, gap, row)].find(isFree);
      end.style.visibility = found ? "" : "hidden";
      if (!found) continue;
      const [left, middle] = found;
      taken.push({ left, middle, width });
      end.setAttribute("transform", `translate(${x} 0)`);
      name.setAttribute("transform", `translate(${left - x} ${middle})`);
      leader.setAttribute("d", `M0 ${y}L${left > x ? left - x : left - x + width} ${middle}`);
    }
  }

  /** Places for a name around the end of its line, nearest first. */
  *around(x, y, width, gap, row) {
    for (let column = 0; column < 6; column++) {
      const further = column * (width + 2 * gap);
      for (let rows = 0; rows * row <= this.height; rows++) {
        for (const middle of [y - rows * row, y + rows * row]) {
          for (const left of [x + gap + further, x - gap - width - further]) yield [left, middle];
        }
      }
    }
  }

  /** The place in the words that belongs to a value: the one that it lies in, or the nearest. */
  index(value) {
    const xs = this.words.x;
    let [low, high] = [0, xs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] <= value + 1e-9) low = middle + 1;
      else high = middle;
    }
    const isNearer = !this.words.bins && low < xs.length && (low === 0 || xs[low] - value < value - xs[low - 1]);
    return Math.max(0, isNearer ? low : low - 1);
  }

  /** Shows what is known where the reader points. */
  read() {
    if (!this.seen) return;
    const at = this.group.at === null || this.words.x.length === 0 ? null : this.index(this.group.at);
    const x = at === null ? 0 : this.x(this.words.x[at]);
    const isSeen = at !== null && x >= this.left - 1 && x <= this.left + this.seen + 1;
    this.cursor.style.visibility = isSeen ? "" : "hidden";
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.show?.(at);
  }

  listen() {
    const place = (event) => event.clientX - this.svg.getBoundingClientRect().left;
    const inside = (x) => Math.min(Math.max(x, this.left), this.left + this.seen);
    let from = null;
    this.svg.addEventListener("pointermove", (event) => {
      const x = inside(place(event));
      this.group.point(this.value(x));
      if (from === null) return;
      this.drag.setAttribute("x", Math.min(from, x));
      this.drag.setAttribute("width", Math.abs(x - from));
    });
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      from = inside(place(event));
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointerup", (event) => {
      const ends = [from, inside(place(event))].sort((a, b) => a - b);
      if (from !== null && ends[1] - ends[0] > 4) this.look(ends.map((x) => this.value(x)));
      from = null;
      this.drag.setAttribute("width", 0);
    });
    this.svg.addEventListener("pointerleave", () => this.group.point(null));
    this.svg.addEventListener("dblclick", () => this.group.zoom(null));
    this.svg.addEventListener("keydown", (event) => { if (this.press(event.key)) event.preventDefault(); });
  }

  press(key) {
    const acts = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), "+": () => this.by(0.5), "=": () => this.by(0.5), "-": () => this.by(2), 0: () => this.group.zoom(null) };
    acts[key]?.();
    return key in acts;
  }

  /** Moves the cursor by a hundredth of what is seen, at least by one place. */
  step(direction) {
    const [low, high] = this.view();
    const now = this.group.at ?? (low + high) / 2;
    const [before, after] = [now, now + (direction * (high - low)) / 100].map((value) => this.index(value));
    const at = Math.min(Math.max(before === after ? before + direction : after, 0), this.words.x.length - 1);
    this.group.point(this.words.x[at]);
  }

  /** Shows `factor` times as much as now, about the middle. */
  by(factor) {
    const [low, high] = this.view();
    const [middle, half] = [(low + high) / 2, ((high - low) / 2) * factor];
    this.look([middle - half, middle + half]);
  }

  look([from, to]) {
    const [low, high] = this.axis.span;
    const finest = this.axis.ticks[this.axis.ticks.length - 1].map(([value]) => value);
    const apart = Math.max(...finest.slice(1).map((value, at) => value - finest[at]), 0);
    const lack = Math.max(0, Math.max((high - low) * DEEPEST, 3 * apart) - (to - from)) / 2;
    this.group.zoom([Math.max(from - lack, low), Math.min(to + lack, high)]);
  }
}

/** A legend whose entries switch their lines off and on, or show one alone, and show the figures under the cursor. */
function legend(plots, current, selection, withOnly) {
  const entries = plots[0].series.map(({ root, label, note }) => {
    const line = root.querySelector(".line");
    const key = shape("svg", { viewBox: "0 0 24 10", "aria-hidden": "true", class: "prazo-key" });
    key.append(shape("line", { class: line.getAttribute("class").replace("line", "key"), x1: 0, x2: 24, y1: 5, y2: 5, "stroke-dasharray": line.getAttribute("stroke-dasharray") ?? "" }));
    const name = element("span", { class: "name" }, label, " ", element("span", { class: "quiet" }, `(${note})`));
    const toggle = button(key, () => selection.toggle(label), { "aria-pressed": "true" });
    toggle.append(name);
    const isAlone = () => selection.shown().length === 1 && selection.shows(label);
    const only = button("only", () => selection.only(isAlone() ? selection.labels : [label]), { class: "only", title: `Only ${label}`, "aria-label": `Only ${label}` });
    const value = element("span", { class: "value" });
    const item = element("li", {}, toggle, ...(withOnly && plots[0].series.length > 1 ? [only] : []), value);
    return { label, toggle, value, item };
  });
  selection.follow(() => entries.forEach(({ label, toggle }) => toggle.setAttribute("aria-pressed", String(selection.shows(label)))));
  const show = (at) => entries.forEach(({ label, value }, line) => {
    const text = at !== null && selection.shows(label) ? current().series[line].values[at] ?? "" : "";
    value.textContent = text;
    value.title = text;
  });
  return { root: element("ul", { class: "legend", "aria-label": "Lines; press to hide or show" }, ...entries.map(({ item }) => item)), show };
}

/** Makes a figure's pictures answer; a figure has the same lines in all of its pictures, or a picture for each run. */
function enliven(chart, groups, selection) {
  const plots = [...chart.querySelectorAll("svg.prazo-chart:has(metadata.axis)")].map((svg) => {
    const axis = JSON.parse(svg.querySelector("metadata.axis").textContent);
    groups[axis.group] ??= new Group();
    return new Plot(svg, groups[axis.group], axis, selection);
  });
  if (plots.length === 0) return;
  const measures = [...chart.querySelectorAll("[data-measure]")];
  const current = () => plots.find((plot) => !plot.svg.closest("[hidden]")) ?? plots[0];
  const group = plots[0].group;
  const choices = measures.map((measure) => button(measure.dataset.measure, () => {
    measures.forEach((other, at) => {
      other.hidden = other !== measure;
      choices[at].setAttribute("aria-pressed", String(other === measure));
    });
    plots.forEach((plot) => plot.place());
  }, { "aria-pressed": String(!measure.hidden) }));
  const named = (label) => ({ "aria-label": label, title: label });
  const tools = [
    button("+", () => current().by(0.5), named("Zoom in")),
    button("\u2212", () => current().by(2), named("Zoom out")),
    button("Reset", () => group.zoom(null), named("Reset: show everything")),
    element("span", { class: "hint" }, "drag to zoom, double-click to reset"),
  ];
  // The first screen has room for the chart and its legend alone.
  const isAnswer = chart.closest("#answer") !== null;
  if (!isAnswer) chart.prepend(element("div", { class: "tools" }, ...choices, ...tools));
  const readout = () => element("p", { class: "readout", "aria-live": "polite" });
  if (plots[0].series.length === 0) {
    plots.forEach((plot) => {
      const words = readout();
      plot.svg.after(words);
      const run = plot.svg.querySelector("[data-run]").dataset.run;
      plot.show = (at) => { words.textContent = at === null ? "" : plot.words.at[at]; };
      selection.follow(() => [plot.svg, words].forEach((part) => part.classList.toggle("off", !selection.showsRun(run))));
    });
  } else {
    const [words, key] = [readout(), legend(plots, current, selection, !isAnswer)];
    words.textContent = "Move over the chart to read its figures.";
    // Of many lines each has its name at its end; the list is there to read figures and to choose.
    const isLong = plots.some((plot) => plot.ends.length > 0);
    chart.append(isLong ? element("details", {}, element("summary", {}, `All ${plots[0].series.length} lines`), key.root) : key.root, words);
    // A long value has a line of its own, full or empty: a legend that grew would push away what the reader points at.
    if (plots[0].series.some(({ values }) => values.some((value) => value.length > SHORT))) key.root.classList.add("tall");
    plots.forEach((plot) => {
      plot.show = (at) => {
        if (plot !== current()) return;
        if (at !== null) words.textContent = plot.words.at[at];
        key.show(at);
      };
      selection.follow(() => {
        plot.svg.querySelectorAll("[data-label]").forEach((line) => line.classList.toggle("off", !selection.shows(line.dataset.label)));
        if (plot.seen) plot.placeEnds();
      });
    });
  }
  new ResizeObserver(() => plots.forEach((plot) => plot.place())).observe(chart);
  plots.forEach((plot) => plot.place());
}

/** The groups that names tell: of `rt16.fifo.nanosleep` the kernel, the policy and the method, place by place. */
const parts = (label) => label.split(", ")[0].split(".");
function facets(labels) {
  const named = (place) => labels.flatMap((label) => parts(label)[place] ?? []);
  const longest = Math.max(0, ...labels.map((label) => parts(label).length));
  const all = Array.from({ length: longest }, (_, place) => ({ place, values: [...new Set(named(place))] }));
  return all.filter(({ place, values }) => values.length > 1 && values.length < named(place).length);
}

/** The lines whose names have a wanted value in every place; a name without that place is not asked. */
const matching = (labels, wanted) => labels.filter((label) => [...wanted].every(([place, value]) => (parts(label)[place] ?? value) === value));

/** The first choice that leaves few enough lines to be told apart: the last places are narrowed first. */
function firstChoice(labels, most) {
  const wanted = new Map();
  for (const { place, values } of facets(labels).reverse()) {
    if (matching(labels, wanted).length <= most) break;
    wanted.set(place, values[0]);
  }
  return wanted;
}

/** Puts a picker above the charts: runs or curves, as `noun` calls them, are chosen by the parts of their names. */
function placePicker(selection, noun, atOnce, first) {
  if (selection.labels.length < 3 || (selection.labels.length <= atOnce && facets(selection.labels).length === 0)) return;
  const wanted = selection.labels.length > atOnce + 3 ? firstChoice(selection.labels, atOnce) : new Map();
  const marks = [];
  const apply = () => {
    selection.only(matching(selection.labels, wanted));
    marks.forEach((mark) => mark());
  };
  const choice = (place, value) => {
    const made = button(value ?? "any", () => {
      if (value === undefined) wanted.delete(place);
      else wanted.set(place, value);
      apply();
    });
    marks.push(() => made.setAttribute("aria-pressed", String(wanted.get(place) === value)));
    return made;
  };
  const rows = facets(selection.labels).map(({ place, values }) => element("div", { class: "facet" }, ...[undefined, ...values].map((value) => choice(place, value))));
  const all = button(`Show all ${noun}`, () => { wanted.clear(); apply(); });
  const count = element("p", { class: "picked", "aria-live": "polite" });
  first.before(element("div", { class: "picker", role: "group", "aria-label": `${noun[0].toUpperCase()}${noun.slice(1)} in the charts` }, count, ...rows, all));
  apply();
  selection.follow(() => {
    const [shown, of] = [selection.shown().length, selection.labels.length];
    count.textContent = shown === of ? `All ${of} lines are shown.` : `${shown} of ${of} lines are shown.`;
    all.disabled = shown === of;
  });
}

const charts = [...document.querySelectorAll("figure .chart")];
const selection = new Selection([...new Set([...document.querySelectorAll("figure .series")].map((line) => line.dataset.label))]);
const groups = {};
charts.forEach((chart) => enliven(chart, groups, selection));
const first = charts.find((chart) => chart.closest("#figures") && chart.querySelector(".tools"))?.closest("figure");
// A colour for each scheduler and a dash for each platform: more curves can be told apart than runs.
if (first) groups.utilization ? placePicker(selection, "curves", 9, first) : placePicker(selection, "runs", AT_ONCE, first);
requestAnimationFrame(() => requestAnimationFrame(() => {
  document.documentElement.dataset.chartsMs = performance.measure("prazo-charts", "prazo-charts-start").duration.toFixed(0);
}));
})();
