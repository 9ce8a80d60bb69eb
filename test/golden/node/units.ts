/** A class with state, which no translation accepts. */
export class Counter {
  #counts = new Map<string, number>();

  add(unit: string): number {
    const count = (this.#counts.get(unit) ?? 0) + 1;
    this.#counts.set(unit, count);
    return count;
  }
}
