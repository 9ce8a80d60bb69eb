import type { StepDefinition } from "@tritype/core";
import { z } from "zod";

/** An ensemble's `batchBy` with defaults applied. */
export interface BatchByLength {
  readonly maxWaste: number;
  readonly tolerance: number;
}

const share = "must be a number from 0 to 1";
const positive = "must be a number of at least 0";
const fields = z.strictObject(
  {
    by: z.literal("length", 'must be "length"'),
    maxWaste: z.number(share).min(0, share).max(1, share).default(0.1),
    tolerance: z.number(positive).min(0, positive).default(1e-3),
  },
  'must be "length" or an object with `by: "length"`',
);

/** The schema for an ensemble's `batchBy`. */
export const batchByForm: z.ZodType<BatchByLength> = z.preprocess(
  (given) => (given === "length" ? { by: given } : given),
  fields,
);

/** An ensemble's validated `batchBy` option; undefined if it has none. */
export const batchByOf = ({ options }: StepDefinition): BatchByLength | undefined =>
  batchByForm.optional().safeParse(options["batchBy"]).data;
