import { describe, expect, test } from "vitest";
import { createProcessors } from "./processors.ts";

interface Given {
  readonly name: string;
  readonly at: number;
  readonly us: number;
  readonly threads?: number;
}

/** When each execution ends, in microseconds. */
const ends = (free: number, ...given: readonly Given[]): Readonly<Record<string, number>> => {
  const processors = createProcessors();
  const starts = [...given];
  const ended: Record<string, number> = {};
  let now = 0;
  for (;;) {
    const change = processors.nextChange(now, free);
    const next = Math.min(change, starts[0]?.at ?? Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) return ended;
    processors.advance(next - now, free);
    now = next;
    const first = starts[0];
    if (first?.at === now) {
      starts.shift();
      processors.start(first.threads ?? 1, first.us, () => void (ended[first.name] = now));
    } else processors.change();
  }
};

describe("executions that share processors", () => {
  test("what has just started runs first", () => {
    expect(ends(1, { name: "a", at: 0, us: 1000 }, { name: "b", at: 500, us: 300 })).toEqual({
      b: 800,
      a: 1300,
    });
  });

  test("when the slice of an execution is over, it goes behind the others at the next tick", () => {
    expect(ends(1, { name: "a", at: 0, us: 3000 }, { name: "b", at: 100, us: 6000 })).toEqual({
      // `b` runs until the tick at 4,000, then `a` runs from there, and for 100 µs before.
      a: 6900,
      b: 9000,
    });
  });

  test("the slice of an execution that had only a short turn is not over", () => {
    expect(ends(1, { name: "a", at: 3000, us: 3000 }, { name: "b", at: 3000, us: 3000 })).toEqual({
      b: 6000,
      a: 9000,
    });
  });

  test("while there are enough processors, no execution waits", () => {
    expect(ends(2, { name: "a", at: 0, us: 9000 }, { name: "b", at: 0, us: 8000 })).toEqual({
      b: 8000,
      a: 9000,
    });
  });

  test("an execution with several threads takes the processors that are left", () => {
    expect(ends(2, { name: "a", at: 0, us: 2000, threads: 2 }, { name: "b", at: 0, us: 1000 })).toEqual({
      b: 1000,
      a: 2500,
    });
  });

  test("without a free processor, nothing changes", () => {
    const processors = createProcessors();
    processors.start(1, 1000, () => undefined);
    expect(processors.nextChange(0, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(processors.wanted()).toBe(1);
  });
});
