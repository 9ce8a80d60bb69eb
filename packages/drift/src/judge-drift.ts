import type { BatchDependence } from "./batch-dependence.ts";
import type { DriftLimits, DriftLimitsByOutput } from "./drift-limits.ts";
import type { TensorDrift } from "./tensor-drift.ts";

/** An exceeded limit, or a fault that needs no limit. */
export interface DriftFailure {
  readonly output: string;
  /** `cosine`; undefined for a fault that no limit could allow. */
  readonly limit: keyof DriftLimits | undefined;
  /** A sentence with both numbers. */
  readonly text: string;
}

type NumericLimit = Exclude<keyof DriftLimits, "dtype">;

interface Measure {
  readonly is: "at least" | "at most";
  readonly words: string;
  readonly of: (tensor: TensorDrift, batch: BatchDependence | undefined) => number | undefined;
}

/** A share of zero elements is meaningless. */
const shareOf = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;

const measures: Readonly<Record<NumericLimit, Measure>> = {
  maxAbsolute: { is: "at most", words: "the largest absolute error", of: ({ absolute }) => absolute?.max },
  meanAbsolute: { is: "at most", words: "the mean absolute error", of: ({ absolute }) => absolute?.mean },
  p99Absolute: {
    is: "at most",
    words: "the absolute error of 99 % of the elements",
    of: ({ absolute }) => absolute?.p99,
  },
  maxRelative: { is: "at most", words: "the largest relative error", of: ({ relative }) => relative?.max },
  meanRelative: { is: "at most", words: "the mean relative error", of: ({ relative }) => relative?.mean },
  p99Relative: {
    is: "at most",
    words: "the relative error of 99 % of the elements",
    of: ({ relative }) => relative?.p99,
  },
  cosine: { is: "at least", words: "the lowest cosine of a row", of: ({ cosine }) => cosine?.min },
  meanCosine: { is: "at least", words: "the mean cosine of the rows", of: ({ cosine }) => cosine?.mean },
  top1: {
    is: "at least",
    words: "the share of positions with the same largest value",
    of: ({ top1 }) => shareOf(top1?.agreed, top1?.positions),
  },
  exact: {
    is: "at least",
    words: "the share of equal elements",
    of: ({ equalElements, elements }) => shareOf(equalElements, elements),
  },
  batchDependence: {
    is: "at most",
    words: "the largest difference of the candidate's rows alone and in a batch",
    of: (_, batch) => (batch === undefined ? undefined : Math.max(batch.rowByRow, batch.permuted)),
  },
};

/**
 * Failures, output by output: limits that are not met, limits on values that an output lacks, and without any limit
 * a missing output, a different shape or dtype, and elements that are finite on one side only.
 * @param batches The candidate's, by output.
 */
export const judgeDrift = (
  tensors: readonly TensorDrift[],
  limits: DriftLimitsByOutput,
  batches: ReadonlyMap<string, BatchDependence> = new Map(),
): readonly DriftFailure[] =>
  tensors.flatMap((tensor) => {
    const own = limits[tensor.name] ?? {};
    const general = limits["*"] ?? {};
    return [
      ...withoutLimits(tensor, own.dtype ?? general.dtype),
      ...judge(tensor, { ...general, ...own }, new Set(Object.keys(own)), batches.get(tensor.name)),
    ];
  });

const withoutLimits = (
  { name: output, differences, nonFinite }: TensorDrift,
  dtype: DriftLimits["dtype"],
): readonly DriftFailure[] => [
  ...differences
    .filter(({ kind, text }) => kind !== "extra" && !(kind === "dtype" && dtype === "any" && isFloats(text)))
    .map(({ text, rows }) => ({
      output,
      limit: undefined,
      text: `${text} (${rows} ${rows === 1 ? "row" : "rows"})`,
    })),
  ...(nonFinite !== undefined && nonFinite.mismatched > 0
    ? [
        {
          output,
          limit: undefined,
          text: `${nonFinite.mismatched} ${nonFinite.mismatched === 1 ? "element is" : "elements are"} NaN or infinite on only one side`,
        },
      ]
    : []),
];

const isFloats = (text: string): boolean => /^(FP|BF)\d+, not (FP|BF)\d+$/.test(text);

const judge = (
  tensor: TensorDrift,
  limits: DriftLimits,
  own: ReadonlySet<string>,
  batch: BatchDependence | undefined,
): readonly DriftFailure[] =>
  (Object.keys(measures) as NumericLimit[]).flatMap((limit): readonly DriftFailure[] => {
    const bound = limits[limit];
    if (bound === undefined) return [];
    const { is, words, of } = measures[limit];
    const value = of(tensor, batch);
    if (value === undefined)
      return own.has(limit)
        ? [
            {
              output: tensor.name,
              limit,
              text: `\`${limit}\` has a limit, but there is nothing to measure`,
            },
          ]
        : [];
    if (is === "at least" ? value >= bound : value <= bound) return [];
    return [
      { output: tensor.name, limit, text: `${words} is ${showNumber(value)}; the limit is ${is} ${bound}` },
    ];
  });

/** Six digits; a share near 1 gets as many more as it needs to differ from 1: `0.99999987`. */
export const showNumber = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const gap = Math.abs(1 - value);
  const digits = gap > 0 && gap < 1e-3 ? Math.min(10, 3 - Math.floor(Math.log10(gap))) : 6;
  return String(Number(value.toPrecision(digits)));
};
