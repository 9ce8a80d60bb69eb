import type { FieldPath, ModelContext } from "../model-context.ts";

/** A position in a warmup sample: `model_warmup[sample]`, or one of its inputs. */
export interface WarmupPlace {
  readonly model: ModelContext;
  readonly sample: number;
  /** The sample's `name`, or its number if it has none. */
  readonly name: string;
}
export interface WarmupInputPlace extends WarmupPlace {
  readonly input: string;
}

interface MeasuredFile {
  readonly at: WarmupInputPlace;
  readonly file: string;
  /** Bytes. */
  readonly wanted: number;
  readonly tensor: string;
}

/** A problem in a warmup sample. */
export type WarmupProblem =
  | { readonly kind: "open-dims"; readonly at: WarmupInputPlace; readonly dims: readonly number[] }
  | { readonly kind: "no-data"; readonly at: WarmupInputPlace }
  | { readonly kind: "missing-file"; readonly at: WarmupInputPlace; readonly file: string }
  | ({ readonly kind: "short-file"; readonly found: number } & MeasuredFile)
  | ({ readonly kind: "long-file" } & MeasuredFile)
  | {
      readonly kind: "string-file";
      readonly at: WarmupInputPlace;
      readonly file: string;
      readonly wanted: number;
      readonly why: string;
    }
  | {
      readonly kind: "missing-inputs";
      readonly at: WarmupPlace;
      readonly missing: readonly string[];
      readonly unknown: readonly string[];
    }
  | { readonly kind: "dtype"; readonly at: WarmupInputPlace; readonly wanted: string; readonly found: string }
  | {
      readonly kind: "shape";
      readonly at: WarmupInputPlace;
      readonly wanted: string;
      readonly found: string;
      /** The dims would be correct without the batch axis, which must not be included. */
      readonly batchAxis: boolean;
    }
  | { readonly kind: "batch-size"; readonly at: WarmupPlace; readonly size: number; readonly limit: number }
  | { readonly kind: "correlation-id"; readonly at: WarmupPlace; readonly control: string }
  | { readonly kind: "skipped"; readonly at: WarmupPlace; readonly written: boolean }
  | { readonly kind: "random-ids"; readonly at: WarmupInputPlace; readonly dtype: string }
  | { readonly kind: "empty-strings"; readonly at: WarmupInputPlace; readonly field: string }
  | { readonly kind: "unknown-input"; readonly at: WarmupInputPlace; readonly known: readonly string[] };

export type FoundWarmup<K extends WarmupProblem["kind"]> = Extract<WarmupProblem, { readonly kind: K }>;

export const samplePath = ({ sample }: WarmupPlace, ...rest: FieldPath): FieldPath => [
  "model_warmup",
  sample,
  ...rest,
];
export const inputPath = (at: WarmupInputPlace, ...rest: FieldPath): FieldPath =>
  samplePath(at, "inputs", at.input, ...rest);
