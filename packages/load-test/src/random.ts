import { random } from "@tritype/core";

/** 0 to `count` - 1 in random order, repeatedly, so that requests of all lengths are mixed and sent equally often. */
export const shuffledForever = (count: number, seed: number): (() => number) => {
  const next = random(seed);
  const order = Array.from({ length: count }, (_, index) => index);
  let at = count;
  return () => {
    if (at === count) {
      for (let last = count - 1; last > 0; last--) {
        const other = Math.floor(next() * (last + 1));
        [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
      }
      at = 0;
    }
    return order[at++] ?? 0;
  };
};
