import { z } from "zod";
import { type TokenizerTwinOptions, tokenizerTwinSchema } from "./tokenizer-options.ts";

/** The manifest's options for a collate step's twin: all constants in `model.py`. */
export interface CollateTwinOptions extends TokenizerTwinOptions {
  /** The model that answers a group: everything after the tokenizer. */
  readonly behind: string;
  /** The tokenizer outputs that it takes. */
  readonly inputs: readonly string[];
  /** Maximum number of rows in a group. */
  readonly maxBatchSize: number;
  /** Share of a group's tokens, 0 to 1, that may be padding because its rows differ in length. */
  readonly maxWaste: number;
}

const own = z.object({
  behind: z.string(),
  inputs: z.array(z.string()),
  maxBatchSize: z.int().positive(),
  maxWaste: z.number().min(0).max(1),
});

export const collateTwinSchema: z.ZodType<CollateTwinOptions> = z.intersection(tokenizerTwinSchema, own);
