import type { Place } from "./syntax.ts";
import { isInside } from "./walk.ts";

/** Finds the innermost of nested or disjoint places: the last one that begins before a position and contains it. */
export const innermostOf = <P extends Place>(places: readonly P[]): ((place: Place) => P | undefined) => {
  const ordered = places.toSorted((a, b) => a.from - b.from || b.to - a.to);
  /** The index of each place's nearest container; -1 if it has none. */
  const holders: number[] = [];
  for (const [index, place] of ordered.entries()) {
    let holder = index - 1;
    while (holder >= 0 && !isInside(place, ordered[holder] as P)) holder = holders[holder] ?? -1;
    holders.push(holder);
  }
  return (place) => {
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ordered[middle] as P).from < place.from) low = middle + 1;
      else high = middle;
    }
    let index = low - 1;
    while (index >= 0 && !isInside(place, ordered[index] as P)) index = holders[index] ?? -1;
    return ordered[index];
  };
};
