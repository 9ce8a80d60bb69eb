import * as fc from "fast-check";
import { expect, test } from "vitest";
import { repositoryId } from "./coverage.ts";
import { draftFiles } from "./draft.ts";
import { extent, extents } from "./extent.ts";
import { faultCases } from "./fault-cases.ts";
import { faults } from "./faults.ts";

/** The cases of a long run are only counted in a long run. */
const counted = extent.long ? (["short", "long"] as const) : (["short"] as const);

test.each(counted)(
  "each fault has many repositories with and without it: %s",
  { timeout: 120_000 },
  (which) => {
    const { runs, needed } = extents[which];
    const poor = faults.flatMap((fault) =>
      (["refused", "accepted"] as const).flatMap((side) => {
        if (fault[side] === undefined) return [];
        const cases = faultCases(fault, side, { runs, seed: extent.seed });
        const ids = cases.flatMap(({ drafts, ...much }) =>
          fc.sample(drafts, much).map((draft) => repositoryId(draftFiles(draft))),
        );
        const distinct = new Set(ids).size;
        const { rule, about } = fault;
        return distinct < needed ? [`${rule}: ${about}, ${side}: ${distinct} of ${ids.length}`] : [];
      }),
    );
    expect(poor).toEqual([]);
  },
);
