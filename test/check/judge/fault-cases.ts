import * as fc from "fast-check";
import type { Draft, Edit } from "./draft.ts";
import type { Extent } from "./extent.ts";
import type { Edits, Fault } from "./fault.ts";

export type Side = "refused" | "accepted";

/** One edit of a fault, applied to its starting point. */
export interface FaultCases {
  readonly drafts: fc.Arbitrary<Draft>;
  readonly numRuns: number;
  /** Different for each edit, so that edits start from different repositories. */
  readonly seed: number;
}

/** Each edit of a list gets its share of the runs. */
export const faultCases = (
  fault: Fault,
  side: Side,
  { runs, seed }: Pick<Extent, "runs" | "seed">,
): readonly FaultCases[] => {
  const { on, refusedOn = on, costly = false } = fault;
  const all = separately(fault[side] ?? []);
  const numRuns = Math.ceil((costly ? runs.costly : runs.cheap) / all.length);
  return all.map((edit, at) => ({
    drafts: edited(side === "refused" ? refusedOn : on, edit),
    numRuns,
    seed: seed + at,
  }));
};

export const edited = (on: fc.Arbitrary<Draft>, edits: fc.Arbitrary<Edit>): fc.Arbitrary<Draft> =>
  fc.tuple(on, edits).map(([draft, edit]) => edit(draft));

export const separately = (edits: Edits): readonly fc.Arbitrary<Edit>[] =>
  edits instanceof fc.Arbitrary ? [edits] : edits.map((edit) => fc.constant(edit));
