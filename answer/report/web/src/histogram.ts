// Histograms of several runs overlaid on log-log axes, stepped (Blaess 2014, figures 3 to 7).

import uPlot from "uplot";
import { element } from "./element";
import { arrow, frame, plot, within } from "./frame";
import { bin, cursor, drawDeadline, fullSpan, latencyAxis, places, powersAxis } from "./latency";
import { type Legend, legend } from "./legend";
import { colour, dash } from "./palette";
import type { Charts, HistogramLine } from "./payload";
import type { Selection } from "./selection";
import { count, share } from "./words";
import { Zoom, listenToKeys, zoomTools } from "./zoom";

type Measure = "counts" | "shares";
/** Half a sample: where a bin without samples stands. */
const EMPTY = Math.log10(0.5);

export function drawHistogram(charts: Charts, selection: Selection): void {
  const parts = frame("histogram");
  if (!parts) return;
  const { edges_ns: edges, lines } = charts.histograms;
  let measure: Measure = "counts";
  let key: Legend | null = null;
  const show = (chart: uPlot) => {
    const idx = chart.cursor.idx;
    parts.readout.textContent = idx == null || idx >= edges.length - 1 ? "\u00a0" : `Bin ${bin(charts, edges, idx)}`;
    key?.show(idx);
  };
  const options = {
    cursor: cursor(),
    scales: { x: { time: false }, y: { range: () => range(lines, measure) } },
    axes: [latencyAxis(charts), powersAxis("Samples in each bin")],
    series: [{}, ...lines.map(series)],
    hooks: {
      draw: [(chart: uPlot) => drawDeadline(chart, charts), (chart: uPlot) => drawBeyond(chart, lines)],
      setCursor: [(chart: uPlot) => show(chart)],
    },
  };
  const chart = plot(parts.plots, 380, options, data(charts, measure));
  const zoom = new Zoom([chart], () => fullSpan(charts));
  key = legend(chart, lines.map((line, at) => ({
    label: line.label,
    colour: line.colour,
    note: `${count(line.total)} samples${line.beyond ? `, ${count(line.beyond)} beyond` : ""}`,
    series: [at + 1],
    value: (idx) => (idx < line.counts.length ? figure(line, idx, measure) : ""),
  })), selection);
  parts.plots.after(key.root);
  listenToKeys(chart, zoom, "Histograms of latencies");
  parts.tools.append(...measureTools((wanted) => {
    measure = wanted;
    chart.setData(data(charts, measure), false);
    const [min, max] = range(lines, measure);
    chart.setScale("y", { min, max });
  }), ...zoomTools(zoom));
}

function series(line: HistogramLine): uPlot.Series {
  return {
    label: line.label,
    stroke: () => colour(line.colour),
    width: 1.8,
    dash: dash(line.colour),
    paths: uPlot.paths.stepped!({ align: 1 }),
    points: { show: false },
  };
}

function data(charts: Charts, measure: Measure): uPlot.AlignedData {
  const { edges_ns: edges, lines } = charts.histograms;
  return [places(charts, edges), ...lines.map((line) => heights(line, measure))];
}

/** Logarithms of the counts; the flat ends on both sides are left out. */
function heights(line: HistogramLine, measure: Measure): (number | null)[] {
  const scale = measure === "shares" ? Math.log10(Math.max(line.total, 1)) : 0;
  const first = line.counts.findIndex((count) => count > 0);
  const last = line.counts.length - 1 - [...line.counts].reverse().findIndex((count) => count > 0);
  const height = (count: number, at: number) =>
    first < 0 || at < first - 1 || at > last + 1 ? null : (count > 0 ? Math.log10(count) : EMPTY) - scale;
  return [...line.counts, 0].map(height);
}

function range(lines: HistogramLine[], measure: Measure): [number, number] {
  const tops = lines.map((line) => Math.max(...line.counts, 1) / (measure === "shares" ? Math.max(line.total, 1) : 1));
  const high = Math.max(...tops.map(Math.log10));
  if (measure === "counts") return [EMPTY, Math.max(1, Math.ceil(high))];
  return [EMPTY - Math.max(...lines.map((line) => Math.log10(Math.max(line.total, 1)))), Math.ceil(high)];
}

function figure(line: HistogramLine, idx: number, measure: Measure): string {
  const samples = line.counts[idx] ?? 0;
  return measure === "counts" ? count(samples) : share(samples / Math.max(line.total, 1));
}

/** Samples whose values are unknown: an arrow on the right edge, one above the other. */
function drawBeyond(chart: uPlot, lines: HistogramLine[]): void {
  within(chart, (ctx, box, ratio) => {
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    let row = 0;
    lines.forEach((line, at) => {
      if (line.beyond === 0 || !chart.series[at + 1]!.show) return;
      const [x, y] = [box.left + box.width - 2 * ratio, box.top + (34 + 15 * row++) * ratio];
      ctx.fillStyle = colour(line.colour);
      arrow(ctx, x, y, 5 * ratio, "right");
      ctx.fillText(`${count(line.beyond)} beyond`, x - 12 * ratio, y);
    });
  });
}

function measureTools(choose: (measure: Measure) => void): HTMLElement[] {
  const names: [Measure, string][] = [["counts", "Counts"], ["shares", "Shares of each run"]];
  const buttons = names.map(([measure, text]) => {
    const button = element("button", { type: "button", "aria-pressed": String(measure === "counts") }, text);
    button.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      choose(measure);
    });
    return button;
  });
  return buttons;
}
