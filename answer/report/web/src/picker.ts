// Picks runs or curves by the parts of their names, for all charts at once; says how many of how many are shown.

import { element } from "./element";
import { type Facet, facets, firstChoice, matching } from "./facets";
import type { Selection } from "./selection";

/** As many lines as there are colours can be told apart at once; of more, a part is shown first. */
const AT_ONCE = 7;

/** Puts the picker above the charts that it picks for where there are enough runs or curves, as `noun` calls them, to pick from. */
export function placePicker(selection: Selection, noun: string, atOnce = AT_ONCE): void {
  const first = document.querySelector("#figures .drawn")?.closest("figure");
  if (!first || selection.labels.length < 3) return;
  const wanted = selection.labels.length > atOnce + 3 ? firstChoice(selection.labels, atOnce) : new Map<number, string>();
  const count = element("p", { class: "picked", "aria-live": "polite" });
  const marks: (() => void)[] = [];
  const apply = () => {
    selection.only(matching(selection.labels, wanted));
    marks.forEach((mark) => mark());
  };
  const rows = facets(selection.labels).map((facet) => row(facet, wanted, marks, apply));
  const all = element("button", { type: "button" }, `Show all ${noun}`);
  all.addEventListener("click", () => {
    wanted.clear();
    apply();
  });
  first.before(element("div", { class: "picker", role: "group", "aria-label": `${noun[0]!.toUpperCase()}${noun.slice(1)} in the charts` }, count, ...rows, all));
  if (wanted.size) apply();
  selection.follow(() => {
    const [shown, of] = [selection.shown.length, selection.labels.length];
    count.textContent = shown === of ? `All ${of} lines are shown.` : `${shown} of ${of} lines are shown.`;
    all.disabled = shown === of;
  });
}

/** One place of the names: its values, and any of them. */
function row(facet: Facet, wanted: Map<number, string>, marks: (() => void)[], apply: () => void): HTMLElement {
  const choice = (value: string | undefined) => {
    const button = element("button", { type: "button" }, value ?? "any");
    button.addEventListener("click", () => {
      if (value === undefined) wanted.delete(facet.place);
      else wanted.set(facet.place, value);
      apply();
    });
    const mark = () => button.setAttribute("aria-pressed", String(wanted.get(facet.place) === value));
    marks.push(mark);
    mark();
    return button;
  };
  return element("div", { class: "facet" }, choice(undefined), ...facet.values.map(choice));
}
