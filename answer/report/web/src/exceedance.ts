// Exceedance curves on log-log axes: solid per served wake-up, dashed per due activation, no evidence below 1/N.

import uPlot from "uplot";
import { decades } from "./axis";
import { arrow, frame, plot, within } from "./frame";
import { cursor, drawDeadline, fullSpan, latencyAxis, places, powersAxis } from "./latency";
import { type Legend, legend } from "./legend";
import { colour, dash, property } from "./palette";
import type { Charts, Curve, ExceedanceLine } from "./payload";
import type { Selection } from "./selection";
import { count, latency, share } from "./words";
import { Zoom, listenToKeys, zoomTools } from "./zoom";

export function drawExceedance(charts: Charts, selection: Selection): void {
  const parts = frame("exceedance");
  if (!parts) return;
  const { x_ns: xs, lines } = charts.exceedances;
  const curves = lines.flatMap((line, at) => curvesOf(line, at));
  const samples = Math.max(...lines.map((line) => line.served.total), 1);
  const low = -Math.max(1, Math.ceil(Math.log10(samples))) - 0.3;
  let key: Legend | null = null;
  const show = (chart: uPlot) => {
    const idx = chart.cursor.idx;
    parts.readout.textContent = idx == null ? "\u00a0" : `At or above ${latency(xs[idx] ?? 0)}`;
    key?.show(idx);
  };
  const chart = plot(parts.plots, 380, {
    cursor: cursor(),
    scales: { x: { time: false }, y: { range: [low, 0.08] } },
    axes: [latencyAxis(charts), powersAxis("Share at or above")],
    series: [{}, ...curves.map((one) => one.series)],
    hooks: {
      drawAxes: [(chart) => shadeNoEvidence(chart, samples)],
      draw: [(chart) => drawDeadline(chart, charts), (chart) => drawBeyond(chart, charts, curves)],
      setCursor: [(chart) => show(chart)],
    },
  }, [places(charts, xs), ...curves.map((one) => shares(one.curve))]);
  const zoom = new Zoom([chart], () => fullSpan(charts));
  key = legend(chart, lines.map((line, at) => ({
    label: line.label,
    colour: line.colour,
    note: `${count(line.served.total)} served${line.due ? `, dashed: ${count(line.due.total)} due` : ""}`,
    series: curves.flatMap((one, index) => (one.line === at ? [index + 1] : [])),
    value: (idx) => figures(line, idx),
  })), selection);
  parts.plots.after(key.root);
  listenToKeys(chart, zoom, "Exceedance curves");
  parts.tools.append(...zoomTools(zoom));
}

interface Drawn { line: number; curve: Curve; series: uPlot.Series }

function curvesOf(line: ExceedanceLine, at: number): Drawn[] {
  const series = (dashes: number[]): uPlot.Series => ({
    label: line.label,
    stroke: () => colour(line.colour),
    width: 1.8,
    dash: dashes,
    paths: uPlot.paths.stepped!({ align: 1 }),
    points: { show: false },
  });
  const served = { line: at, curve: line.served, series: series(dash(line.colour)) };
  return line.due ? [served, { line: at, curve: line.due, series: series([5, 4]) }] : [served];
}

/** Logarithms of the shares; behind its last sample a curve falls to the floor, unless samples of unknown value hold it up. */
function shares(curve: Curve): (number | null)[] {
  const floor = -20;
  return curve.reaching.map((reaching, at) => {
    if (reaching > 0) return Math.log10(reaching / Math.max(curve.total, 1));
    return curve.beyond === 0 && at > 0 && (curve.reaching[at - 1] ?? 0) > 0 ? floor : null;
  });
}

function figures(line: ExceedanceLine, idx: number): string {
  const of = (curve: Curve) => `${share((curve.reaching[idx] ?? 0) / Math.max(curve.total, 1))} (${count(curve.reaching[idx] ?? 0)})`;
  return line.due ? `${of(line.served)}; due ${of(line.due)}` : of(line.served);
}

/** Where samples of unknown value lie beyond a curve's end, an arrow says that it goes on. */
function drawBeyond(chart: uPlot, charts: Charts, curves: Drawn[]): void {
  within(chart, (ctx, _box, ratio) => curves.forEach(({ curve, line }, at) => {
    const end = curve.reaching.findIndex((reaching) => reaching === 0);
    if (curve.beyond === 0 || end < 1 || !chart.series[at + 1]!.show) return;
    const x = chart.valToPos(decades(charts.axis, charts.exceedances.x_ns[end - 1]!), "x", true);
    const y = chart.valToPos(Math.log10((curve.reaching[end - 1] ?? 1) / curve.total), "y", true);
    ctx.fillStyle = colour(charts.exceedances.lines[line]!.colour);
    arrow(ctx, x + 9 * ratio, y, 5 * ratio, "right");
  }));
}

function shadeNoEvidence(chart: uPlot, samples: number): void {
  const y = chart.valToPos(-Math.log10(samples), "y", true);
  within(chart, (ctx, box, ratio) => {
    ctx.fillStyle = property("--faint");
    ctx.fillRect(box.left, y, box.width, box.top + box.height - y);
    ctx.fillStyle = property("--soft");
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    ctx.fillText(`no evidence below 1 in ${count(samples)}`, box.left + 8 * ratio, box.top + box.height - 3 * ratio);
  });
}
