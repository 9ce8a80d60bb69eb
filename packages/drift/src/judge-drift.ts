import { counted, inBackticks } from "@tritype/core";
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

type Measure = readonly [
  is: "at least" | "at most",
  words: string,
  of: (tensor: TensorDrift, batch: BatchDependence | undefined) => number | undefined,
];

/** Without elements, a share is meaningless. */
const shareOf = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;

const measures: Readonly<Record<NumericLimit, Measure>> = {
  maxAbsolute: ["at most", "the largest absolute error", ({ absolute }) => absolute?.max],
  meanAbsolute: ["at most", "the mean absolute error", ({ absolute }) => absolute?.mean],
  p99Absolute: ["at most", "the absolute error of 99 % of the elements", ({ absolute }) => absolute?.p99],
  maxRelative: ["at most", "the largest relative error", ({ relative }) => relative?.max],
  meanRelative: ["at most", "the mean relative error", ({ relative }) => relative?.mean],
  p99Relative: ["at most", "the relative error of 99 % of the elements", ({ relative }) => relative?.p99],
  cosine: ["at least", "the lowest cosine of a row", ({ cosine }) => cosine?.min],
  meanCosine: ["at least", "the mean cosine of the rows", ({ cosine }) => cosine?.mean],
  top1: [
    "at least",
    "the share of positions with the same largest value",
    ({ top1 }) => shareOf(top1?.agreed, top1?.positions),
  ],
  exact: [
    "at least",
    "the share of equal elements",
    ({ equalElements, elements }) => shareOf(equalElements, elements),
  ],
  exactExceptNumbers: [
    "at least",
    "the share of elements that are equal except for fractional numbers in JSON",
    ({ equalExceptNumbers, elements }) => shareOf(equalExceptNumbers, elements),
  ],
  batchDependence: [
    "at most",
    "the largest difference of the candidate's rows alone and in a batch",
    (_, batch) => batch && Math.max(batch.rowByRow, batch.permuted),
  ],
};

/**
 * Failures, output by output: limits that are not met and limits on values that an output lacks; even without
 * limits, a missing output, a different shape or dtype, and elements that are finite on only one side.
 * @param batches The batch dependence of the candidate, by output.
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
): readonly DriftFailure[] => {
  const never = differences
    .filter(({ kind, text }) => kind !== "extra" && !(kind === "dtype" && dtype === "any" && isFloats(text)))
    .map(({ text, rows }) => `${text} (${counted(rows, "row")})`);
  const count = nonFinite?.mismatched ?? 0;
  const strange = `${count} ${count === 1 ? "element is" : "elements are"} NaN or infinite on only one side`;
  return [...never, ...(count > 0 ? [strange] : [])].map((text) => ({ output, limit: undefined, text }));
};

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
    const [is, words, of] = measures[limit];
    const value = of(tensor, batch);
    const fails = (text: string): readonly DriftFailure[] => [{ output: tensor.name, limit, text }];
    if (value === undefined) return own.has(limit) ? fails(unmeasured(limit, tensor, batch)) : [];
    if (is === "at least" ? value >= bound : value <= bound) return [];
    return fails(`${words} is ${showNumber(value)}; the limit is ${is} ${bound}`);
  });

const unmeasured = (limit: string, ...args: Parameters<Measure[2]>): string => {
  const known = Object.entries(measures).filter(([, [, , of]]) => of(...args) !== undefined);
  const names = inBackticks(known.map(([name]) => name));
  return `\`${limit}\` has a limit, but for this output ${names === "" ? "there is nothing to measure" : `only ${names} can be measured`}`;
};

/** Six digits; a share close to 1 gets as many more digits as it needs to differ from 1: `0.99999987`. */
export const showNumber = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const gap = Math.abs(1 - value);
  const digits = gap > 0 && gap < 1e-3 ? Math.min(10, 3 - Math.floor(Math.log10(gap))) : 6;
  return String(Number(value.toPrecision(digits)));
};
