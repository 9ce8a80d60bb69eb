import type { Activity, Live } from "../api.ts";
import { type Reading, recentReadings } from "./live-texts.ts";

/** The batch sizes that formed in the intervals between readings. */
export interface BatchSizes {
  /** The sizes, or ranges of sizes, ascending: "1", "2", "3–4". */
  readonly rows: readonly string[];
  readonly cells: readonly BatchCell[];
  /** The sizes of the last five seconds, the most frequent first. */
  readonly recent: readonly (readonly [size: number, executions: number])[];
}

export interface BatchCell {
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  readonly row: number;
  readonly executions: number;
  /** The part of the interval's executions, from 0 to 1. */
  readonly share: number;
}

/** With more sizes than this, the rows are ranges whose ends are powers of two. */
const mostRows = 8;

/** @param looks Readings in order; only the executions between them are counted. */
export const batchSizesOf = (looks: readonly Reading[], model: string): BatchSizes => {
  const intervals = looks.slice(1).flatMap((look, index) => {
    const before = looks[index];
    const [a, b] = [activityOf(before, model), activityOf(look, model)];
    return before === undefined || a === undefined || b === undefined
      ? []
      : [{ from: before.at / 1000, to: look.at / 1000, formed: formedBetween(a, b) }];
  });
  const sizes = [...new Set(intervals.flatMap(({ formed }) => [...formed.keys()]))];
  const ends =
    sizes.length > mostRows
      ? [...new Set(sizes.map((size) => 2 ** Math.ceil(Math.log2(Math.max(1, size)))))]
      : sizes;
  const rows = ends.toSorted((a, b) => a - b);
  const cells = intervals.flatMap(({ from, to, formed }): readonly BatchCell[] => {
    const counts = rows.map(() => 0);
    for (const [size, count] of formed) {
      const row = rows.findIndex((end) => size <= end);
      counts[row] = (counts[row] ?? 0) + count;
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    return counts.flatMap((executions, row) =>
      executions === 0 ? [] : [{ from, to, row, executions, share: executions / total }],
    );
  });
  const recent = new Map<number, number>();
  const [first] = recentReadings(looks);
  const since = (first?.at ?? 0) / 1000;
  for (const { formed } of intervals.filter(({ from }) => from >= since))
    for (const [size, count] of formed) recent.set(size, (recent.get(size) ?? 0) + count);
  return {
    rows: rows.map((end) => {
      const start = end / 2 + 1;
      return sizes.length <= mostRows || start >= end ? String(end) : `${start}–${end}`;
    }),
    cells,
    recent: [...recent].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]),
  };
};

/** The executions of each size between two readings. A counter that is smaller than before was reset to 0 in between. */
const formedBetween = (before: Activity, after: Activity): ReadonlyMap<number, number> => {
  const known = new Map(before.batches);
  return new Map(
    after.batches.flatMap(([size, count]) => {
      const old = known.get(size) ?? 0;
      const formed = count < old ? count : count - old;
      return formed === 0 ? [] : [[size, formed] as const];
    }),
  );
};

/** The activity of a model at the time of a reading. */
export const activityOf = (look: Live | undefined, model: string): Activity | undefined =>
  look?.models.find((one) => one.model === model);
