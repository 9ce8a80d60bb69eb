import type { Json } from "@tritype/core";
import { z } from "zod";

/** The manifest's options for the twin of several steps in one model: all constants in `model.py`. */
export interface ChainTwinOptions {
  /** The steps, in the order in which they run. */
  readonly steps: readonly {
    readonly name: string;
    /** The step's folder in the version folder. */
    readonly folder: string;
    /** The step's input → its source: an input of the model, or "step/output" of an earlier step. */
    readonly inputs: Readonly<Record<string, string>>;
    /** The outputs that are used, as in the configuration. */
    readonly outputs: readonly {
      readonly name: string;
      readonly data_type?: string | undefined;
      readonly dims?: readonly number[] | undefined;
    }[];
    readonly twin: { readonly kind: string; readonly options: Readonly<Record<string, Json>> };
  }[];
  /** The model's output → "step/output". */
  readonly outputs: Readonly<Record<string, string>>;
}

const names = z.record(z.string(), z.string());

export const chainTwinSchema: z.ZodType<ChainTwinOptions> = z.object({
  steps: z.array(
    z.object({
      name: z.string(),
      folder: z.string(),
      inputs: names,
      outputs: z.array(
        z.object({
          name: z.string(),
          data_type: z.string().optional(),
          dims: z.array(z.int()).optional(),
        }),
      ),
      twin: z.object({ kind: z.string(), options: z.record(z.string(), z.json()) }),
    }),
  ),
  outputs: names,
});
