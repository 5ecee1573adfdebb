// The latency axis: logarithmic, and linear around zero; the twin of src/chart/axis.rs. uPlot gets decades on a plain scale.

import type { LatencyAxis } from "./payload";
import { latency } from "./words";

/** Where a value stands, in decades. */
export function decades(axis: LatencyAxis, ns: number): number {
  const parts = ns / axis.linear_ns;
  return Math.abs(parts) < 1 ? parts : Math.sign(parts) * (1 + Math.log10(Math.abs(parts)));
}

/** The value that stands at `place` decades. */
export function fromDecades(axis: LatencyAxis, place: number): number {
  const size = Math.abs(place);
  return Math.sign(place) * axis.linear_ns * (size < 1 ? size : 10 ** (size - 1));
}

/** Values worth a tick between two places: few enough that their labels stay apart. */
export function ticks(axis: LatencyAxis, low: number, high: number, room: number): number[] {
  const inside = (ns: number) => decades(axis, ns) >= low - 1e-9 && decades(axis, ns) <= high + 1e-9;
  for (const digits of [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1]]) {
    const found = candidates(axis, digits).filter(inside);
    if (found.length <= room && found.length >= 3) return found;
  }
  const powers = candidates(axis, [1]).filter(inside);
  return powers.length > 2 ? powers.filter((_, at) => at % Math.ceil(powers.length / room) === 0) : evenly(axis, low, high, room);
}

function candidates(axis: LatencyAxis, digits: number[]): number[] {
  const found = [0];
  for (let power = axis.linear_ns; power < 1e19; power *= 10) {
    for (const digit of digits) if (Number.isInteger(power * digit)) found.push(power * digit, -power * digit);
  }
  return found.sort((a, b) => a - b);
}

/** A deep zoom has no round powers left: equal steps of 1, 2 or 5. */
function evenly(axis: LatencyAxis, low: number, high: number, room: number): number[] {
  const [from, to] = [fromDecades(axis, low), fromDecades(axis, high)];
  const rough = Math.max((to - from) / Math.max(room, 2), 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10);
  const found: number[] = [];
  for (let ns = Math.ceil(from / step) * step; ns <= to && found.length < 50; ns += step) found.push(ns);
  return found;
}

/** The label of a tick at `place`. */
export function tickLabel(axis: LatencyAxis, place: number): string {
  return latency(Math.round(fromDecades(axis, place)));
}
