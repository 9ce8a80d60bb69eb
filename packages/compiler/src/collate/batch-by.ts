import type { StepDefinition } from "@tritype/core";
import { z } from "zod";

/** `batchBy` of an ensemble with defaults applied. */
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
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? undefined : 'must be "length" or an object with `by: "length"`',
  },
);
const schema = z.preprocess((given) => (given === "length" ? { by: given } : given), fields);

/** An ensemble's `batchBy` option; undefined without one, a problem if it cannot be read. */
export const readBatchBy = ({
  options,
}: StepDefinition): BatchByLength | { readonly problem: string } | undefined => {
  const given = options["batchBy"];
  if (given === undefined) return undefined;
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = ["batchBy", ...(issue?.path ?? [])].map(String).join(".");
  return { problem: `\`${place}\`: ${issue?.message}, got ${JSON.stringify(given)}` };
};

/** Like `readBatchBy`, for options that have been checked. */
export const batchByOf = (definition: StepDefinition): BatchByLength | undefined => {
  const read = readBatchBy(definition);
  return read === undefined || "problem" in read ? undefined : read;
};
