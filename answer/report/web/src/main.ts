// Draws the report's charts from the figures in the page; says how long that took.

import { drawExceedance } from "./exceedance";
import { drawHistogram } from "./histogram";
import { readPayload } from "./payload";
import { placePicker } from "./picker";
import { Selection } from "./selection";
import { drawTimeline } from "./timeline";

performance.mark("prazo-charts-start");
const charts = readPayload();
if (charts) {
  const selection = new Selection(charts.histograms.lines.map((line) => line.label));
  drawHistogram(charts, selection);
  drawExceedance(charts, selection);
  drawTimeline(charts, selection);
  placePicker(selection);
  // uPlot paints at the end of the current turn; two frames later everything is on the screen.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const took = performance.measure("prazo-charts", "prazo-charts-start");
    document.documentElement.dataset["chartsMs"] = took.duration.toFixed(0);
  }));
}
