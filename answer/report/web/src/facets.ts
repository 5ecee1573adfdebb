// The groups that runs' names tell: of `rt16.fifo.nanosleep` the kernel, the policy and the method, place by place.

export interface Facet { place: number; values: string[] }

const parts = (label: string): string[] => label.split(", ")[0]!.split(".");

/** Places of the names with at least two values, of which at least one is shared by several runs. */
export function facets(labels: readonly string[]): Facet[] {
  const longest = Math.max(0, ...labels.map((label) => parts(label).length));
  const all = Array.from({ length: longest }, (_, place) => facet(labels, place));
  return all.filter(({ place, values }) => values.length > 1 && values.length < named(labels, place).length);
}

const named = (labels: readonly string[], place: number): string[] => labels.flatMap((label) => parts(label)[place] ?? []);
const facet = (labels: readonly string[], place: number): Facet => ({ place, values: [...new Set(named(labels, place))] });

/** The lines whose names have a wanted value in every place; a name without that place is not asked. */
export function matching(labels: readonly string[], wanted: Map<number, string>): string[] {
  return labels.filter((label) => [...wanted].every(([place, value]) => (parts(label)[place] ?? value) === value));
}

/** The first choice that leaves few enough lines to be told apart: the last places are narrowed first. */
export function firstChoice(labels: readonly string[], most: number): Map<number, string> {
  const wanted = new Map<number, string>();
  for (const { place, values } of facets(labels).reverse()) {
    if (matching(labels, wanted).length <= most) break;
    wanted.set(place, values[0]!);
  }
  return wanted;
}
