// What all charts share: their place in the page, their size, their axes' looks, and marks drawn onto them.

import uPlot from "uplot";
import { element } from "./element";
import { faint, property } from "./palette";

/** Where a chart's parts go; the static picture stays for print and is hidden on the screen. */
export interface Frame { tools: HTMLElement; readout: HTMLElement; plots: HTMLElement }

/** The frame of the figure named `name`; null where the page has none. */
export function frame(name: string): Frame | null {
  const chart = document.querySelector(`[data-chart="${name}"]`);
  if (!chart) return null;
  const parts = {
    tools: element("div", { class: "tools" }),
    readout: element("p", { class: "readout", "aria-live": "polite" }, "Move over the chart to read its figures."),
    plots: element("div", { class: "plots" }),
  };
  chart.append(element("div", { class: "live" }, parts.tools, parts.plots, parts.readout));
  chart.classList.add("drawn");
  return parts;
}

/** Axes in the page's colours; they follow a change between light and dark. */
export function axisLooks(): Partial<uPlot.Axis> {
  const line = { stroke: () => property("--line"), width: 1 };
  const font = "12px system-ui, sans-serif";
  return { stroke: () => property("--soft"), grid: line, ticks: line, font, labelFont: font, labelSize: 22 };
}

/** Makes a chart that follows the width of its place and the page's colours. */
export function plot(place: HTMLElement, height: number, options: Omit<uPlot.Options, "width" | "height">, data: uPlot.AlignedData): uPlot {
  const width = () => Math.max(place.clientWidth, 240);
  const chart = new uPlot({ ...options, width: width(), height, legend: { show: false } }, data, place);
  new ResizeObserver(() => {
    if (chart.width !== width()) chart.setSize({ width: width(), height });
  }).observe(place);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", () => chart.redraw(true, true));
  }
  return chart;
}

/** Draws with the plotting area as its limits; sizes are in CSS pixels times `ratio`. */
export function within(chart: uPlot, draw: (ctx: CanvasRenderingContext2D, box: uPlot.BBox, ratio: number) => void): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, bbox, uPlot.pxRatio);
  ctx.restore();
}

/** A vertical dashed line with a label, for the deadline. */
export function verticalMark(chart: uPlot, place: number, label: string): void {
  const x = chart.valToPos(place, "x", true);
  within(chart, (ctx, box, ratio) => {
    dashedLine(ctx, ratio, [x, box.top], [x, box.top + box.height]);
    const right = x + ctx.measureText(label).width + 12 * ratio > box.left + box.width;
    backed(ctx, label, x + (right ? -6 : 6) * ratio, box.top + 14 * ratio, right, ratio);
  });
}

/** A horizontal dashed line with a label, for the deadline. */
export function horizontalMark(chart: uPlot, place: number, label: string): void {
  const y = chart.valToPos(place, "y", true);
  within(chart, (ctx, box, ratio) => {
    dashedLine(ctx, ratio, [box.left, y], [box.left + box.width, y]);
    backed(ctx, label, box.left + box.width - 6 * ratio, y - 6 * ratio, true, ratio);
  });
}

/** A label on the page's ground, so that it can be read over a busy line. */
function backed(ctx: CanvasRenderingContext2D, label: string, x: number, y: number, right: boolean, ratio: number): void {
  const width = ctx.measureText(label).width + 8 * ratio;
  const ink = ctx.fillStyle;
  ctx.fillStyle = faint(property("--card"), 0.82);
  ctx.fillRect(right ? x - width + 4 * ratio : x - 4 * ratio, y - 12 * ratio, width, 16 * ratio);
  ctx.fillStyle = ink;
  ctx.textAlign = right ? "right" : "left";
  ctx.fillText(label, x, y);
}

function dashedLine(ctx: CanvasRenderingContext2D, ratio: number, from: [number, number], to: [number, number]): void {
  ctx.strokeStyle = ctx.fillStyle = property("--bad");
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = "alphabetic";
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}

/** A small triangle that points out of the plot: something lies beyond its edge. */
export function arrow(ctx: CanvasRenderingContext2D, x: number, y: number, size: number, direction: "up" | "down" | "right"): void {
  const points: Record<typeof direction, [number, number][]> = {
    up: [[0, 0], [-1, 1.4], [1, 1.4]],
    down: [[0, 0], [-1, -1.4], [1, -1.4]],
    right: [[0, 0], [-1.4, -1], [-1.4, 1]],
  };
  ctx.beginPath();
  points[direction].forEach(([dx, dy], at) => (at ? ctx.lineTo(x + dx * size, y + dy * size) : ctx.moveTo(x + dx * size, y + dy * size)));
  ctx.fill();
}
