// Which lines are shown: one choice for all charts, so that a run hidden in one is not met again in the next.

type Listener = () => void;

export class Selection {
  private readonly hidden = new Set<string>();
  private readonly listeners: Listener[] = [];

  constructor(readonly labels: readonly string[]) {}

  shows(label: string): boolean {
    return !this.hidden.has(label);
  }

  /** True where any line of this run is shown; a run with several quantities has several. */
  showsRun(name: string): boolean {
    const own = this.labels.filter((label) => label === name || label.startsWith(`${name}, `));
    return own.length === 0 || own.some((label) => this.shows(label));
  }

  get shown(): string[] {
    return this.labels.filter((label) => this.shows(label));
  }

  toggle(label: string): void {
    if (!this.hidden.delete(label)) this.hidden.add(label);
    this.tell();
  }

  /** Shows these lines and no other. */
  only(labels: Iterable<string>): void {
    const wanted = new Set(labels);
    this.hidden.clear();
    this.labels.filter((label) => !wanted.has(label)).forEach((label) => this.hidden.add(label));
    this.tell();
  }

  all(): void {
    this.only(this.labels);
  }

  /** Calls `listener` now and after each change. */
  follow(listener: Listener): void {
    this.listeners.push(listener);
    listener();
  }

  private tell(): void {
    this.listeners.forEach((listener) => listener());
  }
}
