// Elements from names, attributes and texts; texts are never parsed as HTML.

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** The key of a line: a short stroke of its colour and dash. */
export function stroke(at: number, dash: number[]): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 10");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "line");
  const attributes = { x1: "0", x2: "24", y1: "5", y2: "5", "stroke-width": "3", stroke: `var(--c${at % 7})`, "stroke-dasharray": dash.join(" ") };
  for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}
