// Zooming without a mouse: buttons, and the keys +, -, 0 and the arrows while a chart has the focus.

import type uPlot from "uplot";
import { element } from "./element";

type Span = { min: number; max: number };

/** Keeps a chart's horizontal span inside what it has. */
export class Zoom {
  constructor(private readonly charts: uPlot[], private readonly full: (chart: uPlot) => Span) {}

  /** Shows `factor` times as much as now, about the middle. */
  by(factor: number): void {
    for (const chart of this.charts) {
      const now = this.span(chart);
      const [middle, half] = [(now.min + now.max) / 2, ((now.max - now.min) / 2) * factor];
      this.set(chart, { min: middle - half, max: middle + half });
    }
  }

  reset(): void {
    for (const chart of this.charts) chart.setScale("x", this.full(chart));
  }

  private span(chart: uPlot): Span {
    const { min, max } = chart.scales["x"]!;
    return min == null || max == null ? this.full(chart) : { min, max };
  }

  private set(chart: uPlot, wanted: Span): void {
    const full = this.full(chart);
    const span = { min: Math.max(wanted.min, full.min), max: Math.min(wanted.max, full.max) };
    if (span.max - span.min > 1e-6) chart.setScale("x", span);
  }
}

/** The buttons of a zoom. */
export function zoomTools(zoom: Zoom): HTMLElement[] {
  const button = (text: string, label: string, act: () => void) => {
    const made = element("button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", act);
    return made;
  };
  return [
    button("+", "Zoom in", () => zoom.by(0.5)),
    button("\u2212", "Zoom out", () => zoom.by(2)),
    button("Reset", "Show everything", () => zoom.reset()),
    element("span", { class: "hint" }, "drag to zoom, double-click to reset"),
  ];
}

/** Lets the keyboard move the cursor and zoom while the plot has the focus. */
export function listenToKeys(chart: uPlot, zoom: Zoom, label: string): void {
  const over = chart.over;
  over.tabIndex = 0;
  over.setAttribute("role", "application");
  over.setAttribute("aria-label", `${label}. Arrow keys move the cursor, plus and minus zoom, 0 resets.`);
  over.addEventListener("keydown", (event) => {
    if (act(chart, zoom, event.key)) event.preventDefault();
  });
}

function act(chart: uPlot, zoom: Zoom, key: string): boolean {
  switch (key) {
    case "ArrowLeft": step(chart, -1); return true;
    case "ArrowRight": step(chart, 1); return true;
    case "+": case "=": zoom.by(0.5); return true;
    case "-": zoom.by(2); return true;
    case "0": zoom.reset(); return true;
    default: return false;
  }
}

/** Moves the cursor by a hundredth of what is shown, at least by one point. */
function step(chart: uPlot, direction: number): void {
  const xs = chart.data[0];
  const width = chart.over.clientWidth;
  const now = chart.cursor.left == null || chart.cursor.left < 0 ? width / 2 : chart.cursor.left;
  const wanted = chart.posToIdx(now + (direction * width) / 100);
  const idx = wanted === chart.posToIdx(now) ? wanted + direction : wanted;
  const place = xs[Math.max(0, Math.min(xs.length - 1, idx))]!;
  chart.setCursor({ left: chart.valToPos(place, "x"), top: chart.over.clientHeight / 2 });
}
