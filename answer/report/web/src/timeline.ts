// Timelines: a panel a run, all with one vertical scale (Regnier 2008), loads shaded, warm-up hatched, misses marked.

import uPlot from "uplot";
import { decades, tickLabel, ticks } from "./axis";
import { element, stroke } from "./element";
import { arrow, axisLooks, frame, horizontalMark, plot, within } from "./frame";
import { colour, faint, property } from "./palette";
import type { Charts, LatencyAxis, Panel } from "./payload";
import type { Selection } from "./selection";
import { count, latency, time } from "./words";
import { Zoom, listenToKeys, zoomTools } from "./zoom";

const sync = uPlot.sync("timeline");
const HEIGHT = 210;

export function drawTimeline(charts: Charts, selection: Selection): void {
  const parts = charts.timelines.panels.length ? frame("timeline") : null;
  if (!parts) return;
  const spans = new Map<uPlot, { min: number; max: number }>();
  const plots = charts.timelines.panels.map(withGaps).map((panel) => {
    const chart = drawPanel(charts, panel, selection, parts.plots);
    spans.set(chart, span(panel));
    return chart;
  });
  const zoom = new Zoom(plots, (chart) => spans.get(chart)!);
  plots.forEach((chart, at) => listenToKeys(chart, zoom, `Timeline of ${charts.timelines.panels[at]!.label}`));
  parts.tools.append(...zoomTools(zoom));
  parts.readout.remove();
}

const span = (panel: Panel) => ({ min: 0, max: (panel.at_s[panel.at_s.length - 1] ?? 0) + panel.point_s });

function drawPanel(charts: Charts, panel: Panel, selection: Selection, place: HTMLElement): uPlot {
  const { low_ns: low, high_ns: high } = charts.timelines;
  const scale: LatencyAxis = { low_ns: low, high_ns: high, linear_ns: 1 };
  const readout = element("span", { class: "readout" });
  const title = element("p", { class: "panel-title" }, stroke(panel.colour, []), " ", panel.label, readout);
  const box = element("div", { class: "plot" });
  const root = element("div", { class: "panel" }, title, box);
  place.append(root);
  selection.follow(() => (root.hidden = !selection.showsRun(panel.label)));
  const line = panel.colour;
  return plot(box, HEIGHT, {
    cursor: { drag: { x: true, y: false }, sync: { key: sync.key, scales: ["x", null], setSeries: false }, points: { size: 6 } },
    scales: { x: { time: false, range: (_chart, min, max) => (min === max ? [min, min + 1] : [min, max]) }, y: { range: [decades(scale, low), decades(scale, high)] } },
    axes: [timeAxis(), latencies(scale)],
    series: [{}, ...seriesOf(line)],
    bands: [{ series: [2, 1], fill: () => faint(colour(line), 0.22) }],
    hooks: {
      drawAxes: [(chart) => shadeLoads(chart, panel), (chart) => hatchWarmUp(chart, panel)],
      draw: [(chart) => drawMarks(chart, charts, panel, scale)],
      setCursor: [(chart) => (readout.textContent = read(panel, chart.cursor.idx))],
    },
  }, data(panel, scale));
}

function timeAxis(): uPlot.Axis {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
  return { ...axisLooks(), incrs: steps, space: 90, size: 34, values: (_chart, splits) => splits.map(time) };
}

function latencies(scale: LatencyAxis): uPlot.Axis {
  return {
    ...axisLooks(),
    size: 62,
    splits: (_chart, _axis, low, high) => ticks(scale, low, high, 6).map((ns) => decades(scale, ns)),
    values: (_chart, splits) => splits.map((place) => tickLabel(scale, place)),
  };
}

function seriesOf(line: number): uPlot.Series[] {
  const stroke = () => colour(line);
  const quiet = () => faint(colour(line), 0.5);
  const points = { show: false };
  return [
    { label: "min", stroke: quiet, width: 1, points },
    { label: "mean", stroke: quiet, width: 1, points },
    { label: "max", stroke, width: 1.6, points },
  ];
}

/** Columns in decades; values outside the scale stand on its edge, where an arrow marks them. */
function data(panel: Panel, scale: LatencyAxis): uPlot.AlignedData {
  const place = (ns: number | null) => (ns == null ? null : decades(scale, Math.min(Math.max(ns, scale.low_ns), scale.high_ns)));
  return [panel.at_s, panel.min_ns.map(place), panel.mean_ns.map(place), panel.max_ns.map(place)];
}

/** The panel with an empty point where points are missing, so that a gap in time is a gap in the line. */
function withGaps(panel: Panel): Panel {
  const filled: Panel = { ...panel, at_s: [], min_ns: [], mean_ns: [], max_ns: [], missed: [], skipped: [], lost: [] };
  panel.at_s.forEach((at, idx) => {
    const expected = (filled.at_s[filled.at_s.length - 1] ?? at - panel.point_s) + panel.point_s;
    if (at > expected) append(filled, expected, panel, -1);
    append(filled, at, panel, idx);
  });
  return filled;
}

function append(filled: Panel, at: number, from: Panel, idx: number): void {
  filled.at_s.push(at);
  for (const column of ["min_ns", "mean_ns", "max_ns"] as const) filled[column].push(from[column][idx] ?? null);
  for (const column of ["missed", "skipped", "lost"] as const) filled[column].push(from[column][idx] ?? 0);
}

function shadeLoads(chart: uPlot, panel: Panel): void {
  within(chart, (ctx, box) => {
    ctx.fillStyle = faint(property("--soft"), 0.09);
    for (const [start, end] of panel.loads.flatMap((load) => load.on_s)) {
      const [left, right] = [chart.valToPos(start, "x", true), chart.valToPos(end, "x", true)];
      ctx.fillRect(left, box.top, right - left, box.height);
    }
  });
}

function hatchWarmUp(chart: uPlot, panel: Panel): void {
  if (panel.warm_up_s === 0) return;
  within(chart, (ctx, box, ratio) => {
    const right = chart.valToPos(panel.warm_up_s, "x", true);
    ctx.beginPath();
    ctx.rect(box.left, box.top, right - box.left, box.height);
    ctx.clip();
    ctx.strokeStyle = faint(property("--soft"), 0.45);
    ctx.lineWidth = ratio;
    for (let x = box.left - box.height; x < right; x += 7 * ratio) {
      ctx.beginPath();
      ctx.moveTo(x, box.top + box.height);
      ctx.lineTo(x + box.height, box.top);
      ctx.stroke();
    }
  });
}

function drawMarks(chart: uPlot, charts: Charts, panel: Panel, scale: LatencyAxis): void {
  const deadline = charts.deadline_ns;
  if (deadline != null && deadline >= scale.low_ns && deadline <= scale.high_ns) {
    horizontalMark(chart, decades(scale, deadline), `deadline ${latency(deadline)}`);
  }
  within(chart, (ctx, box, ratio) => {
    panel.at_s.forEach((at, idx) => {
      const x = chart.valToPos(at, "x", true);
      ctx.fillStyle = property("--bad");
      if ((panel.missed[idx] ?? 0) + (panel.skipped[idx] ?? 0) > 0) ctx.fillRect(x - ratio, box.top + box.height - 9 * ratio, 2 * ratio, 9 * ratio);
      ctx.fillStyle = property("--ink");
      if ((panel.max_ns[idx] ?? 0) > scale.high_ns) arrow(ctx, x, box.top + ratio, 4 * ratio, "up");
      if ((panel.min_ns[idx] ?? scale.low_ns) < scale.low_ns) arrow(ctx, x, box.top + box.height - ratio, 4 * ratio, "down");
    });
  });
}

/** The figures of the point under the cursor; points of gaps have none. */
function read(panel: Panel, idx: number | null | undefined): string {
  if (idx == null || panel.max_ns[idx] == null) return "";
  const at = panel.at_s[idx]!;
  const figures = (["max", "mean", "min"] as const).map((name) => {
    const ns = panel[`${name}_ns`][idx];
    return ns == null ? "" : `${name} ${latency(ns)}`;
  });
  const events = (["missed", "skipped", "lost"] as const).filter((name) => panel[name][idx]).map((name) => `${count(panel[name][idx]!)} ${name}`);
  const loads = panel.loads.filter((load) => load.on_s.some(([start, end]) => start <= at && at < end)).map((load) => load.name);
  return [`at ${time(at)}`, ...figures, ...events, ...(loads.length ? [`loads: ${loads.join(", ")}`] : [])].filter(Boolean).join(" \u00b7 ");
}
