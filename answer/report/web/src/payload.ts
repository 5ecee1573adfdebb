// What the report's Rust side puts into the page; field for field the structs of src/chart/.

import type { AcceptanceChart } from "./acceptance";

export interface LatencyAxis { low_ns: number; high_ns: number; linear_ns: number }
export interface HistogramLine { label: string; colour: number; total: number; counts: number[]; beyond: number; max_ns: number | null }
export interface Curve { total: number; beyond: number; reaching: number[] }
export interface ExceedanceLine { label: string; colour: number; served: Curve; due: Curve | null }
export interface LoadTime { name: string; on_s: [number, number][]; gaps_closed: boolean }
export interface Panel {
  label: string;
  colour: number;
  point_s: number;
  warm_up_s: number;
  at_s: number[];
  min_ns: (number | null)[];
  mean_ns: (number | null)[];
  max_ns: (number | null)[];
  missed: number[];
  skipped: number[];
  lost: number[];
  loads: LoadTime[];
}
export interface Charts {
  axis: LatencyAxis;
  resolution_ns: number;
  deadline_ns: number | null;
  histograms: { edges_ns: number[]; lines: HistogramLine[] };
  exceedances: { x_ns: number[]; lines: ExceedanceLine[] };
  timelines: { low_ns: number; high_ns: number; panels: Panel[] };
}

/** The charts of this page, of latencies or of an experiment; null where it has none. */
export function readPayload(): Charts | { acceptance: AcceptanceChart[] } | null {
  const text = document.getElementById("charts")?.textContent;
  return text ? (JSON.parse(text) as Charts | { acceptance: AcceptanceChart[] }) : null;
}
