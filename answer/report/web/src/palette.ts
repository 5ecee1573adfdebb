// Colours after Okabe and Ito, taken from the page's style, so that light, dark and print agree with the static pictures.

const COLOURS = 7;
const DASHES: number[][] = [[], [9, 3, 2, 3], [2, 3], [14, 4], [12, 3, 2, 3, 2, 3]];

/** The value of one of the page's custom properties. */
export function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of the line at `at`. */
export const colour = (at: number): string => property(`--c${at % COLOURS}`);

/** The dash of the line at `at`: the eighth line repeats the first's colour, so it gets another dash. */
export const dash = (at: number): number[] => DASHES[Math.min(Math.floor(at / COLOURS), DASHES.length - 1)] ?? [];

/** `colour` made transparent. */
export function faint(colour: string, opacity: number): string {
  const value = Math.round(opacity * 255).toString(16).padStart(2, "0");
  return /^#[0-9a-f]{6}$/i.test(colour) ? colour + value : colour;
}
