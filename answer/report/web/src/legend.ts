// A legend whose entries switch their lines off and on, and show the figures under the cursor.

import type uPlot from "uplot";
import { element, stroke } from "./element";
import { dash } from "./palette";

export interface Entry {
  label: string;
  /** Shown behind the label: how many samples. */
  note: string;
  /** The chart's series that this entry switches. */
  series: number[];
  /** What to show while the cursor is at `idx`. */
  value(idx: number): string;
}

export interface Legend { root: HTMLElement; show(idx: number | null | undefined): void }

/** The legend of `chart`; call its `show` when the cursor moves. */
export function legend(chart: uPlot, entries: Entry[]): Legend {
  const root = element("ul", { class: "legend", "aria-label": "Lines; press to hide or show" });
  const values = entries.map((entry, at) => {
    const value = element("span", { class: "value" });
    root.append(element("li", {}, toggle(chart, entry, at), value));
    return value;
  });
  const show = (idx: number | null | undefined) =>
    values.forEach((value, at) => (value.textContent = idx == null ? "" : entries[at]!.value(idx)));
  return { root, show };
}

function toggle(chart: uPlot, entry: Entry, at: number): HTMLElement {
  const name = element("span", { class: "name" }, entry.label, " ", element("span", { class: "quiet" }, `(${entry.note})`));
  const button = element("button", { type: "button", "aria-pressed": "true" }, stroke(at, dash(at)), name);
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    chart.batch(() => entry.series.forEach((series) => chart.setSeries(series, { show: shown })));
  });
  return button;
}
