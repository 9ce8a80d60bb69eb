import type { RowComparison, WorstElement } from "./compare-row.ts";

/** A row that differs, and its differences. */
export interface RankedRow {
  /** Row number in the dataset, from 0. */
  readonly example: number;
  readonly maxAbsolute: number;
  /** As in `RowComparison`. */
  readonly distance: number;
  readonly cosine: number | undefined;
  /** Rows whose largest value is at a different position. */
  readonly top1Changed: number;
  /** Elements that are finite on one side only. */
  readonly mismatched: number;
  readonly worstElement: WorstElement | undefined;
}

/** Keeps the rows that differ most. */
export interface WorstRows {
  add(example: number, row: RowComparison): void;
  /** The worst rows first; in a tie, in the order of the dataset. Rows without differences are not included. */
  rows(): readonly RankedRow[];
}

export const createWorstRows = (kept: number, rankBy: "distance" | "top1"): WorstRows => {
  let rows: readonly RankedRow[] = [];
  const order = (a: RankedRow, b: RankedRow): number =>
    b.mismatched - a.mismatched ||
    (rankBy === "top1" ? b.top1Changed - a.top1Changed : 0) ||
    b.distance - a.distance ||
    a.example - b.example;
  return {
    add: (example, { equal, elements, positions, agreed, nonFinite, ...row }) => {
      if (equal === elements) return;
      const ranked: RankedRow = {
        example,
        maxAbsolute: row.maxAbsolute,
        distance: row.distance,
        cosine: row.cosine,
        top1Changed: positions - agreed,
        mismatched: nonFinite.mismatched,
        worstElement: row.worstElement,
      };
      const last = rows[kept - 1];
      if (last === undefined || order(ranked, last) < 0)
        rows = [...rows, ranked].toSorted(order).slice(0, kept);
    },
    rows: () => rows,
  };
};
