// Draws the report's charts from the figures in the page; says how long that took.

import { type AcceptanceChart, drawAcceptance, labels } from "./acceptance";
import { drawExceedance } from "./exceedance";
import { drawHistogram } from "./histogram";
import { type Charts, readPayload } from "./payload";
import { placePicker } from "./picker";
import { Selection } from "./selection";
import { drawTimeline } from "./timeline";

performance.mark("prazo-charts-start");
const payload = readPayload();
if (payload) {
  if ("acceptance" in payload) curves(payload.acceptance);
  else latencies(payload);
  // uPlot paints at the end of the current turn; two frames later everything is on the screen.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const took = performance.measure("prazo-charts", "prazo-charts-start");
    document.documentElement.dataset["chartsMs"] = took.duration.toFixed(0);
  }));
}

function latencies(charts: Charts): void {
  const selection = new Selection(charts.histograms.lines.map((line) => line.label));
  drawHistogram(charts, selection);
  drawExceedance(charts, selection);
  drawTimeline(charts, selection);
  placePicker(selection, "runs");
}

function curves(charts: AcceptanceChart[]): void {
  const selection = new Selection(labels(charts));
  charts.forEach((chart) => drawAcceptance(chart, selection));
  // A colour for each scheduler and a dash for each platform: more of them can be told apart than of runs.
  placePicker(selection, "curves", 9);
}
