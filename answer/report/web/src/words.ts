// Numbers as people read them: the same forms as the tables, which src/words.rs writes.

const UNITS: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

/** A latency in the largest unit that leaves a whole part: `38.44 µs`. */
export function latency(ns: number): string {
  const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size * 0.9999995) ?? [1, "ns"];
  return `${decimals(ns / size, 3)} ${unit}`;
}

/** At most `places` decimals, trailing zeros dropped. */
export function decimals(value: number, places: number): string {
  const text = value.toFixed(places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A count with its thousands apart. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share as percent, or as a power of ten where that is clearer. */
export function share(value: number): string {
  if (value === 0) return "0";
  if (value >= 1e-5) return `${decimals(value * 100, Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(value * 100)))))} %`;
  const exponent = Math.floor(Math.log10(value));
  return `${(value / 10 ** exponent).toFixed(1)} \u00d7 ${tenTo(exponent)}`;
}

/** A power of ten with its exponent raised. */
export function tenTo(power: number): string {
  if (power === 0) return "1";
  if (power === 1) return "10";
  return "10" + [...String(power)].map((digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[Number(digit)] ?? "\u207b").join("");
}

/** A point in time since the start of a run: `1 h 02 min`, `17 s`. */
export function time(seconds: number): string {
  if (seconds < 0) return `-${time(-seconds)}`;
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.round((seconds % 60) * 10) / 10];
  if (h > 0) return `${h} h ${min} min${s > 0 ? ` ${s} s` : ""}`;
  return min > 0 ? `${min} min${s > 0 ? ` ${s} s` : ""}` : `${s} s`;
}
