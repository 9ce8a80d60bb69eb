import { z } from "zod";

/** What the answers of one output must keep to. Without limits an output is reported, and only what is wrong in any case fails. */
export interface DriftLimits {
  /** Largest |candidate - reference| of an element, at most. */
  readonly maxAbsolute?: number | undefined;
  readonly meanAbsolute?: number | undefined;
  /** 99 of 100 elements, at most. */
  readonly p99Absolute?: number | undefined;
  /** Largest |candidate - reference| / |reference|, at most. */
  readonly maxRelative?: number | undefined;
  readonly meanRelative?: number | undefined;
  readonly p99Relative?: number | undefined;
  /** Cosine similarity of the worst row, at least. */
  readonly cosine?: number | undefined;
  readonly meanCosine?: number | undefined;
  /** Share of rows whose largest value is at the same position, at least. */
  readonly top1?: number | undefined;
  /** Share of elements that are the same, at least. */
  readonly exact?: number | undefined;
  /** Largest difference of the candidate's rows alone and in a batch, at most. */
  readonly batchDependence?: number | undefined;
  /** `"any"`: another float dtype is allowed. Default: it is one. */
  readonly dtype?: "any" | undefined;
}

const least = (what: string) =>
  z
    .number({ error: `must be ${what}` })
    .nonnegative({ error: `must be ${what}` })
    .optional();
const atMost = least("a number from 0");
const share = z
  .number({ error: "must be a number from 0 to 1" })
  .min(0, { error: "must be a number from 0 to 1" })
  .max(1, { error: "must be a number from 0 to 1" })
  .optional();
const cosine = z
  .number({ error: "must be a number from -1 to 1" })
  .min(-1, { error: "must be a number from -1 to 1" })
  .max(1, { error: "must be a number from -1 to 1" })
  .optional();

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
  batchDependence: atMost,
  dtype: z.literal("any", { error: 'must be "any"' }).optional(),
};

/** Names of the limits, for messages. */
export const driftLimitNames: readonly (keyof DriftLimits)[] = Object.keys(fields) as (keyof DriftLimits)[];

export const driftLimitsSchema: z.ZodType<DriftLimits> = z.strictObject(fields);

/** Limits by name of the output; `"*"` for every output that has what they limit, under those of its own. */
export type DriftLimitsByOutput = Readonly<Record<string, DriftLimits>>;
