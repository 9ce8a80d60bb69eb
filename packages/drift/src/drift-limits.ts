import { z } from "zod";

/**
 * The drift limits of one output. An output without limits is reported, and only fails because of faults that
 * are never allowed.
 */
export interface DriftLimits {
  /** Maximum |candidate - reference| for any element. */
  readonly maxAbsolute?: number | undefined;
  readonly meanAbsolute?: number | undefined;
  /** Maximum for 99 of 100 elements. */
  readonly p99Absolute?: number | undefined;
  /** Maximum |candidate - reference| / |reference|. */
  readonly maxRelative?: number | undefined;
  readonly meanRelative?: number | undefined;
  readonly p99Relative?: number | undefined;
  /** Minimum cosine similarity of the worst row. */
  readonly cosine?: number | undefined;
  readonly meanCosine?: number | undefined;
  /** Minimum share of rows whose largest value is at the same position. */
  readonly top1?: number | undefined;
  /** Minimum share of equal elements. */
  readonly exact?: number | undefined;
  /** For JSON: minimum share of elements that are equal except for fractional numbers. */
  readonly exactExceptNumbers?: number | undefined;
  /** Maximum difference between the candidate's rows alone and in a batch. */
  readonly batchDependence?: number | undefined;
  /** `"any"` allows another float dtype. Default: the dtype must be the same. */
  readonly dtype?: "any" | undefined;
}

const within = (what: string, from: number, to?: number): z.ZodOptional<z.ZodNumber> => {
  const error = `must be ${what}`;
  const number = z.number({ error }).min(from, { error });
  return (to === undefined ? number : number.max(to, { error })).optional();
};
const atMost = within("a number of at least 0", 0);
const share = within("a number from 0 to 1", 0, 1);
const cosine = within("a number from -1 to 1", -1, 1);

const fields = {
  maxAbsolute: atMost,
  meanAbsolute: atMost,
  p99Absolute: atMost,
  maxRelative: atMost,
  meanRelative: atMost,
  p99Relative: atMost,
  cosine,
  meanCosine: cosine,
  top1: share,
  exact: share,
  exactExceptNumbers: share,
  batchDependence: atMost,
  dtype: z.literal("any", { error: 'must be "any"' }).optional(),
};

/** Names of the limits, for messages. */
export const driftLimitNames: readonly (keyof DriftLimits)[] = Object.keys(fields) as (keyof DriftLimits)[];

export const driftLimitsSchema: z.ZodType<DriftLimits> = z.strictObject(fields);

/**
 * Limits by output name. `"*"` applies to every output that has the limited values; the output's own limits take
 * precedence.
 */
export type DriftLimitsByOutput = Readonly<Record<string, DriftLimits>>;
