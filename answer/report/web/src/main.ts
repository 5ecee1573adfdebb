// Draws the report's charts from the figures in the page; says how long that took.

import { drawExceedance } from "./exceedance";
import { drawHistogram } from "./histogram";
import { readPayload } from "./payload";
import { drawTimeline } from "./timeline";

performance.mark("prazo-charts-start");
const charts = readPayload();
if (charts) {
  drawHistogram(charts);
  drawExceedance(charts);
  drawTimeline(charts);
  // uPlot paints at the end of the current turn; two frames later everything is on the screen.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const took = performance.measure("prazo-charts", "prazo-charts-start");
    document.documentElement.dataset["chartsMs"] = took.duration.toFixed(0);
  }));
}
