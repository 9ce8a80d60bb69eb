/** A class with state, as no translation takes it. */
export class Counter {
  #counts = new Map<string, number>();

  add(unit: string): number {
    const count = (this.#counts.get(unit) ?? 0) + 1;
    this.#counts.set(unit, count);
    return count;
  }
}
