import * as fc from "fast-check";
import { expect, test } from "vitest";
import { innermostOf } from "./innermost.ts";
import type { Place } from "./syntax.ts";
import { isInside } from "./walk.ts";

/** Nested or disjoint places with positions from `from` to `to`. */
const nested = (from: number, to: number, choose: () => boolean): readonly Place[] => {
  if (to - from < 2) return [];
  const middle = (from + to) >> 1;
  return [
    ...(choose() ? [{ from, to }] : []),
    ...nested(from + 1, middle, choose),
    ...nested(middle, to - 1, choose),
  ];
};

test("is the innermost place that contains the position", () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.boolean()),
      fc.integer({ min: 0, max: 63 }),
      fc.nat(8),
      (bits, from, length) => {
        const places = nested(0, 64, () => bits.next().value === true);
        const place = { from, to: from + length };
        const slow = places
          .toSorted((a, b) => a.from - b.from || b.to - a.to)
          .findLast((candidate) => candidate.from < from && isInside(place, candidate));
        expect(innermostOf(places)(place)).toEqual(slow);
      },
    ),
    { numRuns: 500 },
  );
});
