// What histogram and exceedance curves share: the latency axis, the cursor, the deadline.

import uPlot from "uplot";
import { decades, fromDecades, tickLabel, ticks } from "./axis";
import { axisLooks, verticalMark } from "./frame";
import type { Charts } from "./payload";
import { latency, tenTo } from "./words";

/** The charts over the latency axis move their cursors and zooms together. */
export const sync = uPlot.sync("latency");

export const fullSpan = (charts: Charts) => ({
  min: decades(charts.axis, charts.axis.low_ns),
  max: decades(charts.axis, charts.axis.high_ns),
});

export function latencyAxis(charts: Charts): uPlot.Axis {
  return {
    ...axisLooks(),
    label: "Latency",
    splits: (chart, _axis, low, high) => ticks(charts.axis, low, high, Math.max(3, chart.width / 76)).map((ns) => decades(charts.axis, ns)),
    values: (_chart, splits) => splits.map((place) => tickLabel(charts.axis, place)),
  };
}

/** A vertical axis in powers of ten. */
export function powersAxis(label: string): uPlot.Axis {
  return {
    ...axisLooks(),
    label,
    size: 52,
    splits: (_chart, _axis, low, high) => {
      const step = Math.ceil((high - low) / 8);
      const found: number[] = [];
      for (let power = Math.ceil(low / step) * step; power <= high; power += step) found.push(power);
      return found;
    },
    values: (_chart, splits) => splits.map(tenTo),
  };
}

export const cursor = (): uPlot.Cursor => ({
  drag: { x: true, y: false },
  sync: { key: sync.key, scales: ["x", null], setSeries: false },
  points: { size: 7 },
});

export function drawDeadline(chart: uPlot, charts: Charts): void {
  if (charts.deadline_ns == null) return;
  verticalMark(chart, decades(charts.axis, charts.deadline_ns), `deadline ${latency(charts.deadline_ns)}`);
}

/** Which latencies point `idx` stands for: from its edge up to the next one. */
export function bin(charts: Charts, edges: number[], idx: number): string {
  const next = edges[idx + 1] ?? charts.axis.high_ns;
  return `${latency(edges[idx] ?? 0)} to ${latency(next)}`;
}

export const places = (charts: Charts, ns: number[]): number[] => ns.map((value) => decades(charts.axis, value));
export { fromDecades };
