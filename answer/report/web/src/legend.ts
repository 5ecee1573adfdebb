// A legend whose entries switch their lines off and on, or show one alone, and show the figures under the cursor.

import type uPlot from "uplot";
import { element, stroke } from "./element";
import { dash } from "./palette";
import type { Selection } from "./selection";

export interface Entry {
  label: string;
  /** Which colour and dash the line has. */
  colour: number;
  /** Shown behind the label: how many samples. */
  note: string;
  /** The chart's series that this entry switches. */
  series: number[];
  /** What to show while the cursor is at `idx`. */
  value(idx: number): string;
}

export interface Legend { root: HTMLElement; show(idx: number | null | undefined): void }

/** The legend of `chart`; call its `show` when the cursor moves. */
export function legend(chart: uPlot, entries: Entry[], selection: Selection): Legend {
  const root = element("ul", { class: "legend", "aria-label": "Lines; press to hide or show" });
  const values = entries.map((entry) => {
    const value = element("span", { class: "value" });
    const buttons = entries.length > 1 ? [toggle(entry, selection), only(entry, selection)] : [toggle(entry, selection)];
    const item = element("li", {}, ...buttons, value);
    root.append(item);
    return value;
  });
  selection.follow(() => chart.batch(() => entries.forEach((entry, at) => {
    const shown = selection.shows(entry.label);
    root.children[at]!.firstElementChild!.setAttribute("aria-pressed", String(shown));
    entry.series.filter((series) => chart.series[series]!.show !== shown).forEach((series) => chart.setSeries(series, { show: shown }));
  })));
  const show = (idx: number | null | undefined) =>
    values.forEach((value, at) => (value.textContent = idx == null || !selection.shows(entries[at]!.label) ? "" : entries[at]!.value(idx)));
  return { root, show };
}

function toggle(entry: Entry, selection: Selection): HTMLElement {
  const name = element("span", { class: "name" }, entry.label, " ", element("span", { class: "quiet" }, `(${entry.note})`));
  const button = element("button", { type: "button", "aria-pressed": "true" }, stroke(entry.colour, dash(entry.colour)), name);
  button.addEventListener("click", () => selection.toggle(entry.label));
  return button;
}

/** Shows this line alone; where it is alone already, all of them. */
function only(entry: Entry, selection: Selection): HTMLElement {
  const button = element("button", { type: "button", class: "only", title: `Only ${entry.label}`, "aria-label": `Only ${entry.label}` }, "only");
  button.addEventListener("click", () => {
    const alone = selection.shown.length === 1 && selection.shows(entry.label);
    if (alone) selection.all();
    else selection.only([entry.label]);
  });
  return button;
}
