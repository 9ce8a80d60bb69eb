import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Draft } from "../judge/draft.ts";
import { dependences, hiddenBy } from "./dependences.ts";
import { aloneOn, mistakes, together } from "./pairs.ts";

const long = process.env["TRITYPE_JUDGE"] === "long";
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_122);
/** Tests only every n-th pair. */
const stride = long ? 1 : 151;

test("both mistakes in a repository are reported in one run", { timeout: 600_000 }, () => {
  const all = mistakes(seed);
  const repositories = new Map<fc.Arbitrary<Draft>, ReturnType<typeof aloneOn>>();
  const hidden: string[] = [];
  const reasons = new Set<unknown>();
  let pairs = 0;
  for (const [i, first] of all.entries()) {
    const alone = repositories.get(first.on) ?? aloneOn(fc.sample(first.on, { numRuns: 1, seed })[0] ?? []);
    repositories.set(first.on, alone);
    const one = alone(first);
    if (one === undefined) continue;
    for (let j = (seed + i) % stride; j < all.length; j += stride) {
      const second = all[j];
      const other = second && alone(second);
      if (second === undefined || other === undefined || i === j) continue;
      const found = together([first, one], [second, other]);
      if (found === undefined) continue;
      pairs++;
      for (const code of new Set([...one.adds, ...other.adds])) {
        if (found.has(code)) continue;
        const reason = hiddenBy(code, found);
        reasons.add(reason);
        if (reason === undefined)
          hidden.push(`${first.about} and ${second.about}: no ${code} beside ${[...found].join(", ")}`);
      }
    }
  }
  expect(hidden).toEqual([]);
  expect(pairs).toBeGreaterThan(long ? 50_000 : 250);
  if (long) expect(dependences.filter((one) => !reasons.has(one))).toEqual([]);
});
