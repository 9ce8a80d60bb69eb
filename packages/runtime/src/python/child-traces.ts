import type { RequestTrace } from "../tracing/request-trace.ts";

/**
 * The traces of the requests that a process runs. The process refers to them by number; 0 means a request without a
 * trace.
 */
export class ChildTraces {
  readonly #open: Map<number, RequestTrace> = new Map();
  #last = 0;
  #requests = 0;

  add(trace: RequestTrace | undefined): number {
    this.#requests++;
    if (trace === undefined) return 0;
    this.#last = (this.#last % 0xffff_ffff) + 1;
    this.#open.set(this.#last, trace);
    return this.#last;
  }

  /** The trace of a request to another model. */
  child(number: number): RequestTrace | undefined {
    const [only] = this.#requests === 1 ? this.#open.values() : [];
    const parent = this.#open.get(number) ?? (number === 0 && only?.followsAll === true ? only : undefined);
    return parent?.child();
  }

  remove(number: number): void {
    this.#requests--;
    this.#open.delete(number);
  }
}
