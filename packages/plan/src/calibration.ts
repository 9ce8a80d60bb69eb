import { z } from "zod";
import type { System } from "./system.ts";

/** Everything that a simulation of a build needs, as measured on a server: the file that `--save` writes. */
export interface Calibration {
  readonly formatVersion: 1;
  /** Version of tritype. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly began: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  /** "tritype 0.1.0", "triton 2.51.0" */
  readonly server: string;
  /** Hash of `configs/<profile>.pbtxt`. */
  readonly profile?: string | undefined;
  /** The model that the requests go to. */
  readonly model: string;
  /** Model → hash of its files, for the model and those that it calls. */
  readonly models: Readonly<Record<string, string>>;
  /** Source of the requests. */
  readonly requests: string;
  readonly system: System;
}

const count = z.number().int().nonnegative();
const microseconds = z.array(z.number().nonnegative());
const timesAt = z.object({
  rows: count.positive(),
  us: microseconds.min(1),
  pause: z.number().nonnegative().optional(),
});
const system = z.object({
  stations: z.array(
    z.object({
      model: z.string(),
      instances: count.positive(),
      threads: count,
      maxBatchSize: count,
      batching: z
        .object({
          maxBatchSize: count.positive(),
          preferred: z.array(count),
          delay: z.number().nonnegative(),
        })
        .optional(),
    }),
  ),
  steps: z
    .array(
      z.object({
        station: count,
        after: z.array(count),
        times: z.array(z.array(timesAt).min(1)),
        rows: z.array(count.positive()).optional(),
        shapes: z.array(z.string()),
      }),
    )
    .min(1),
  kinds: z.array(count.positive()).min(1),
  cores: count.positive(),
  outside: z.object({
    us: microseconds,
    processor: z.number().nonnegative(),
    idle: microseconds.optional(),
  }),
  pace: z
    .array(z.object({ us: z.number().positive(), shares: z.array(z.number().min(0).max(1)).min(1) }))
    .optional(),
}) satisfies z.ZodType<System>;

const calibration = z.object({
  formatVersion: z.literal(1),
  version: z.string(),
  began: z.string(),
  machine: z.object({ cpu: z.string(), cores: count.positive() }),
  server: z.string(),
  profile: z.string().optional(),
  model: z.string(),
  models: z.record(z.string(), z.string()),
  requests: z.string(),
  system: system.refine(isWhole, "a step names a model, a step or a kind of request that is missing"),
}) satisfies z.ZodType<Calibration>;

function isWhole({ stations, steps, kinds }: System): boolean {
  return steps.every(
    ({ station, after, times, shapes }, index) =>
      station < stations.length &&
      after.every((one) => one < index) &&
      times.length === kinds.length &&
      shapes.length === kinds.length,
  );
}

/** A calibration read from a file, or why the text is not one. */
export const parseCalibration = (text: string): Calibration | { readonly problem: string } => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const { formatVersion } = (value ?? {}) as { readonly formatVersion?: unknown };
  if (typeof formatVersion === "number" && formatVersion > 1)
    return { problem: "it was written by a newer tritype" };
  if (Array.isArray((value as { readonly cases?: unknown } | null)?.cases))
    return { problem: "it is a result of `pipeline bench`, which has no times by batch size" };
  const read = calibration.safeParse(value);
  return read.success ? read.data : { problem: z.prettifyError(read.error).split("\n", 1)[0] ?? "" };
};
