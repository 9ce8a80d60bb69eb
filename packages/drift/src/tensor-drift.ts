import { type DType, sliceRows, type TensorData } from "@tritype/core";
import { allFinite, compareRow, elementKind, type RowComparison } from "./compare-row.ts";
import { createErrorSketch, type Distribution } from "./error-sketch.ts";
import { createWorstRows, type RankedRow } from "./worst-rows.ts";

/** Differences between two answers other than their values. */
export interface TensorDifference {
  readonly kind: "missing" | "extra" | "dtype" | "shape";
  /** As text: `FP16, not FP32`. */
  readonly text: string;
  /** Number of dataset rows in which it occurred. */
  readonly rows: number;
  /** The first of those rows. */
  readonly example: number;
}

/** Cosine similarities of rows. `p1`: 99 of 100 rows are above it. */
export interface CosineSummary {
  readonly min: number;
  readonly p1: number;
  readonly p10: number;
  readonly p50: number;
  readonly mean: number;
  /** Distribution of 1 - cosine. */
  readonly distance: Distribution;
}

/** How much one output of the candidate differs from the reference's, over all rows. */
export interface TensorDrift {
  readonly name: string;
  readonly dtype: { readonly reference: DType | undefined; readonly candidate: DType | undefined };
  /** Number of rows that were compared value by value. */
  readonly rows: number;
  readonly equalRows: number;
  readonly elements: number;
  readonly equalElements: number;
  /** For text, if the reference contains JSON: elements that are equal except for fractional numbers. */
  readonly equalExceptNumbers: number | undefined;
  /** For elements that are finite on both sides, and for numbers in JSON; other text has none. */
  readonly absolute: Distribution | undefined;
  /** For floats and numbers in JSON whose reference is at least the dtype's smallest normal number; `withoutRelative` counts the others. */
  readonly relative: Distribution | undefined;
  readonly withoutRelative: number;
  readonly cosine: CosineSummary | undefined;
  readonly top1: { readonly positions: number; readonly agreed: number } | undefined;
  readonly nonFinite: RowComparison["nonFinite"] | undefined;
  readonly differences: readonly TensorDifference[];
  /** The rows that differ most, the worst first. */
  readonly worst: readonly RankedRow[];
}

/** Compares one output, answer by answer. */
export interface TensorDriftCollector {
  /**
   * @param examples Dataset rows, one for each row of the tensors; a single one for all of them if they are not batched.
   * @param batched Whether the first dim is the batch.
   */
  add(
    examples: readonly number[],
    reference: TensorData | undefined,
    candidate: TensorData | undefined,
    batched: boolean,
  ): void;
  summarize(): TensorDrift;
}

export interface CollectorOptions {
  /** Number of worst rows to keep. Default 5. */
  readonly worst?: number;
  /** How much a row differs. Default: the distance between its values. */
  readonly rankBy?: "distance" | "top1";
}

export const createTensorDrift = (
  name: string,
  { worst: kept = 5, rankBy = "distance" }: CollectorOptions = {},
): TensorDriftCollector => {
  const absolute = createErrorSketch();
  const relative = createErrorSketch();
  const distance = createErrorSketch();
  const worst = createWorstRows(kept, rankBy);
  const differences = new Map<string, TensorDifference>();
  const dtype: { reference: DType | undefined; candidate: DType | undefined } = {
    reference: undefined,
    candidate: undefined,
  };
  let total = empty;
  let lowest = 1;
  let withoutRelative = 0;
  const errors = {
    absolute: absolute.add,
    relative: relative.add,
    withoutRelative: () => void withoutRelative++,
  };
  const differ = (kind: TensorDifference["kind"], text: string, examples: readonly number[]): void => {
    const key = `${kind} ${text}`;
    const known = differences.get(key);
    const [example = 0] = examples;
    differences.set(key, {
      kind,
      text,
      rows: (known?.rows ?? 0) + examples.length,
      example: known?.example ?? example,
    });
  };
  const compare = (example: number, reference: TensorData, candidate: TensorData): void => {
    const row = compareRow(reference, candidate, errors);
    total = sum(total, row);
    if (row.cosine !== undefined) {
      distance.add(1 - row.cosine);
      lowest = Math.min(lowest, row.cosine);
    }
    worst.add(example, row);
  };
  return {
    add: (examples, reference, candidate, batched) => {
      dtype.reference ??= reference?.dtype;
      dtype.candidate ??= candidate?.dtype;
      if (reference === undefined || candidate === undefined) {
        if (candidate !== reference)
          differ(candidate === undefined ? "missing" : "extra", onlyText(candidate), examples);
        return;
      }
      if (candidate.dtype !== reference.dtype)
        differ("dtype", `${candidate.dtype}, not ${reference.dtype}`, examples);
      if (elementKind(candidate.dtype) !== elementKind(reference.dtype)) return;
      if (candidate.shape.join() !== reference.shape.join()) {
        differ(
          "shape",
          `shape [${candidate.shape.join(", ")}], not [${reference.shape.join(", ")}]`,
          examples,
        );
        return;
      }
      if (!batched) return compare(examples[0] ?? 0, reference, candidate);
      for (let row = 0; row < (reference.shape[0] ?? 0); row++)
        compare(examples[row] ?? 0, sliceRows(reference, row, row + 1), sliceRows(candidate, row, row + 1));
    },
    summarize: () => {
      const kind = dtype.reference === undefined ? undefined : elementKind(dtype.reference);
      const distances = distance.distribution();
      return {
        name,
        dtype: { ...dtype },
        rows: total.rows,
        equalRows: total.equalRows,
        elements: total.elements,
        equalElements: total.equal,
        equalExceptNumbers: total.json === 0 ? undefined : total.equalExceptNumbers,
        absolute: kind === "boolean" ? undefined : absolute.distribution(),
        relative: relative.distribution(),
        withoutRelative,
        cosine: distances === undefined ? undefined : cosineSummary(distances, lowest),
        top1: total.positions === 0 ? undefined : { positions: total.positions, agreed: total.agreed },
        nonFinite: isFinite(total.nonFinite) ? undefined : total.nonFinite,
        differences: [...differences.values()],
        worst: worst.rows(),
      };
    },
  };
};

const onlyText = (candidate: TensorData | undefined): string =>
  candidate === undefined ? "the candidate does not have it" : "only the candidate has it";

/** Percentiles of the distances, converted back to similarities. */
const cosineSummary = (distance: Distribution, min: number): CosineSummary => ({
  min,
  p1: Math.max(min, 1 - distance.p99),
  p10: Math.max(min, 1 - distance.p90),
  p50: Math.max(min, 1 - distance.p50),
  mean: 1 - distance.mean,
  distance,
});

interface Totals extends Omit<RowComparison, "maxAbsolute" | "distance" | "cosine" | "worstElement"> {
  readonly rows: number;
  readonly equalRows: number;
}

const empty: Totals = {
  rows: 0,
  equalRows: 0,
  elements: 0,
  equal: 0,
  positions: 0,
  agreed: 0,
  nonFinite: allFinite,
  json: 0,
  equalExceptNumbers: 0,
};

const sum = (total: Totals, row: RowComparison): Totals => {
  const side = (of: "reference" | "candidate") => ({
    nan: total.nonFinite[of].nan + row.nonFinite[of].nan,
    infinite: total.nonFinite[of].infinite + row.nonFinite[of].infinite,
  });
  return {
    rows: total.rows + 1,
    equalRows: total.equalRows + (row.equal === row.elements ? 1 : 0),
    elements: total.elements + row.elements,
    equal: total.equal + row.equal,
    positions: total.positions + row.positions,
    agreed: total.agreed + row.agreed,
    json: total.json + row.json,
    equalExceptNumbers: total.equalExceptNumbers + row.equalExceptNumbers,
    nonFinite: {
      reference: side("reference"),
      candidate: side("candidate"),
      mismatched: total.nonFinite.mismatched + row.nonFinite.mismatched,
    },
  };
};

const isFinite = ({ reference, candidate }: RowComparison["nonFinite"]): boolean =>
  reference.nan + reference.infinite + candidate.nan + candidate.infinite === 0;
