import { z } from "zod";
import type { BatchDependence } from "./batch-dependence.ts";
import type { NonFiniteCounts, WorstElement } from "./compare-row.ts";
import { type DriftLimitsByOutput, driftLimitsSchema } from "./drift-limits.ts";
import type { Distribution } from "./error-sketch.ts";
import type { CosineSummary, TensorDifference } from "./tensor-drift.ts";

/** The output of `pipeline drift --json`: two variants, and how much their answers differ. */
export interface DriftReport {
  readonly formatVersion: typeof driftReportFormatVersion;
  /** The variant that is assumed to be correct. */
  readonly reference: string;
  readonly candidate: string;
  readonly dataset: string;
  /** Whether everything passed. */
  readonly ok: boolean;
  readonly models: readonly DriftReportModel[];
}

/** One ensemble or model that both variants have. */
export interface DriftReportModel {
  readonly name: string;
  /** Number of rows in the dataset. */
  readonly rows: number;
  readonly requests: number;
  /** Number of rows used to measure batch dependence; 0 if it was not measured. */
  readonly batchRows: number;
  readonly limits: DriftLimitsByOutput;
  readonly tensors: readonly DriftReportTensor[];
  readonly failures: readonly {
    readonly output: string;
    /** null for a fault that no limit can allow. */
    readonly limit: string | null;
    readonly text: string;
  }[];
}

/** One output. Values that the output does not have, or that were not measured, are null. */
export interface DriftReportTensor {
  readonly name: string;
  readonly dtype: { readonly reference: string | null; readonly candidate: string | null };
  /** Number of rows that were compared value by value. */
  readonly rows: number;
  readonly equalRows: number;
  readonly elements: number;
  readonly equalElements: number;
  readonly equalExceptNumbers: number | null;
  readonly absolute: Distribution | null;
  readonly relative: Distribution | null;
  readonly withoutRelative: number;
  readonly cosine: CosineSummary | null;
  readonly top1: { readonly positions: number; readonly agreed: number } | null;
  readonly nonFinite: NonFiniteCounts | null;
  readonly differences: readonly TensorDifference[];
  readonly batchDependence: {
    readonly reference: BatchDependence | null;
    readonly candidate: BatchDependence | null;
  };
  readonly worst: readonly DriftReportRow[];
}

/** One of the rows that differ most. */
export interface DriftReportRow {
  /** Row number in the dataset, from 0. */
  readonly example: number;
  /** Line in the dataset, or name of the sample. */
  readonly where: string;
  /** Input → its shortened value. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly maxAbsolute: number;
  readonly distance: number;
  readonly cosine: number | null;
  readonly top1Changed: number;
  readonly mismatched: number;
  readonly worstElement: WorstElement | null;
}

/** The version of `DriftReport` that this package writes. */
export const driftReportFormatVersion = 1;

const count = z.int().nonnegative();
const finite = z.number();
const distribution = z.object({
  count,
  mean: finite,
  p50: finite.describe("Percentiles are within 0.4 %."),
  p90: finite,
  p99: finite,
  p999: finite,
  max: finite,
  bars: z.array(z.object({ from: finite, to: finite, count })),
});
const strange = z.object({ nan: count, infinite: count });
const dependence = z
  .object({ rowByRow: finite, permuted: finite })
  .describe("Largest absolute differences of a batch's rows alone, and in another order.");
const tensor = z.object({
  name: z.string(),
  dtype: z.object({ reference: z.string().nullable(), candidate: z.string().nullable() }),
  rows: count,
  equalRows: count,
  elements: count,
  equalElements: count,
  equalExceptNumbers: count
    .nullable()
    .describe("For text with JSON: elements that are equal except for fractional numbers."),
  absolute: distribution
    .nullable()
    .describe("For elements that are finite on both sides, and for numbers in JSON."),
  relative: distribution
    .nullable()
    .describe(
      "For floats and numbers in JSON whose reference is at least the dtype's smallest normal number.",
    ),
  withoutRelative: count,
  cosine: z
    .object({ min: finite, p1: finite, p10: finite, p50: finite, mean: finite, distance: distribution })
    .nullable()
    .describe("Cosine of each row; `distance` is 1 - cosine."),
  top1: z.object({ positions: count, agreed: count }).nullable(),
  nonFinite: z.object({ reference: strange, candidate: strange, mismatched: count }).nullable(),
  differences: z.array(
    z.object({
      kind: z.enum(["missing", "extra", "dtype", "shape"]),
      text: z.string(),
      rows: count,
      example: count,
    }),
  ),
  batchDependence: z.object({ reference: dependence.nullable(), candidate: dependence.nullable() }),
  worst: z.array(
    z.object({
      example: count,
      where: z.string().describe("Line in the dataset, or name of the sample."),
      inputs: z.record(z.string(), z.string()).describe("Maps each input to its shortened value."),
      maxAbsolute: finite,
      distance: finite,
      cosine: finite.nullable(),
      top1Changed: count,
      mismatched: count,
      worstElement: z
        .object({
          index: count,
          path: z
            .string()
            .optional()
            .describe("Path of the value in a JSON element, such as items[2].score."),
          reference: z.string(),
          candidate: z.string(),
        })
        .nullable(),
    }),
  ),
});

const model = z.object({
  name: z.string(),
  rows: count.describe("Rows of the dataset."),
  requests: count,
  batchRows: count.describe("Number of rows with which batch dependence was measured; 0 if it was not."),
  limits: z.record(z.string(), driftLimitsSchema),
  tensors: z.array(tensor),
  failures: z.array(z.object({ output: z.string(), limit: z.string().nullable(), text: z.string() })),
});

/** The schema of a drift report; `docs/drift-report.schema.json` is printed from it. */
export const driftReportSchema: z.ZodType<DriftReport> = z.object({
  formatVersion: z.literal(driftReportFormatVersion),
  reference: z.string().describe("The variant that is assumed to be correct."),
  candidate: z.string(),
  dataset: z.string(),
  ok: z.boolean().describe("Whether all limits are met."),
  models: z.array(model),
});

/** JSON Schema (2020-12) of a drift report. */
export const driftReportJsonSchema = (): object => z.toJSONSchema(driftReportSchema);
