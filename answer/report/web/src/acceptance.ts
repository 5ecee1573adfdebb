// Acceptance curves of an experiment: the share of task sets accepted over their utilization, with a band for each interval.

import uPlot from "uplot";
import { axisLooks, frame, plot } from "./frame";
import { type Legend, legend } from "./legend";
import { colour, dash, faint } from "./palette";
import type { Selection } from "./selection";
import { count, decimals, share } from "./words";
import { Zoom, listenToKeys, zoomTools } from "./zoom";

/** What the Rust side puts into the page; field for field the structs of src/acceptance/payload.rs. */
export interface AcceptanceLine {
  label: string;
  colour: number;
  accepted: number[];
  sets: number[];
  budget_spent: number[];
  low: (number | null)[];
  high: (number | null)[];
}
export interface AcceptanceChart { id: string; title: string; utilization: number[]; lines: AcceptanceLine[] }

/** All panels' cursors and zooms move together. */
const sync = uPlot.sync("utilization");

/** The labels of all panels, each once: a line hidden in one is hidden in the next. */
export const labels = (charts: AcceptanceChart[]): string[] =>
  [...new Set(charts.flatMap((chart) => chart.lines.map((line) => line.label)))];

export function drawAcceptance(chart: AcceptanceChart, selection: Selection): void {
  const parts = frame(chart.id);
  const [first, last] = [chart.utilization[0], chart.utilization[chart.utilization.length - 1]];
  if (!parts || first === undefined || last === undefined) return;
  let key: Legend | null = null;
  const show = (drawn: uPlot) => {
    const idx = drawn.cursor.idx;
    parts.readout.textContent = idx == null ? "\u00a0" : `Utilization ${decimals(chart.utilization[idx] ?? 0, 3)}`;
    key?.show(idx);
  };
  const drawn = plot(parts.plots, 380, {
    cursor: { drag: { x: true, y: false }, sync: { key: sync.key, scales: ["x", null], setSeries: false }, points: { size: 7 } },
    scales: { x: { time: false, range: (_chart, low, high) => [low, high] }, y: { range: [-0.02, 1.04] } },
    axes: [{ ...axisLooks(), label: "Utilization" }, shareAxis()],
    series: [{}, ...chart.lines.flatMap(series)],
    bands: chart.lines.map((line, at) => ({ series: [3 * at + 3, 3 * at + 2], fill: () => faint(colour(line.colour), 0.14) })),
    hooks: { setCursor: [(drawn) => show(drawn)] },
  }, [chart.utilization, ...chart.lines.flatMap(columns)]);
  const zoom = new Zoom([drawn], () => ({ min: first, max: last }));
  key = legend(drawn, chart.lines.map((line, at) => ({
    label: line.label,
    colour: line.colour,
    note: `${count(sum(line.sets))} sets`,
    series: [3 * at + 1, 3 * at + 2, 3 * at + 3],
    value: (idx) => figures(line, idx),
  })), selection);
  // Each value has a line of its own, full or empty: a legend that grew would push the panel below from under the pointer.
  key.root.classList.add("tall");
  parts.plots.after(key.root);
  listenToKeys(drawn, zoom, chart.title);
  parts.tools.append(...zoomTools(zoom));
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);

/** The line, and the invisible ends of its band. */
function series(line: AcceptanceLine): uPlot.Series[] {
  const end = { label: line.label, stroke: "transparent", width: 0, points: { show: false } };
  return [
    { label: line.label, stroke: () => colour(line.colour), width: 1.8, dash: dash(line.colour), points: { show: false } },
    end,
    end,
  ];
}

function columns(line: AcceptanceLine): (number | null)[][] {
  return [line.sets.map((sets, at) => (sets > 0 ? (line.accepted[at] ?? 0) / sets : null)), line.low, line.high];
}

/** `99.8 % (998 of 1,000; 99.2 to 100 %)`, and how many sets a test had no work left for. */
function figures(line: AcceptanceLine, idx: number): string {
  const [sets, accepted, low, high] = [line.sets[idx] ?? 0, line.accepted[idx] ?? 0, line.low[idx], line.high[idx]];
  if (sets === 0 || low == null || high == null) return "no sets";
  const spent = line.budget_spent[idx] ? `; ${count(line.budget_spent[idx])} out of work` : "";
  const interval = `${decimals(low * 100, 1)} to ${decimals(high * 100, 1)} %`;
  return `${share(accepted / sets)} (${count(accepted)} of ${count(sets)}; ${interval}${spent})`;
}

const shareAxis = (): uPlot.Axis => ({
  ...axisLooks(),
  label: "Sets accepted",
  size: 56,
  splits: () => [0, 0.25, 0.5, 0.75, 1],
  values: (_chart, splits) => splits.map((split) => `${decimals(split * 100, 0)} %`),
});
