import { z } from "zod";

/** A tensor of a function step: its declaration, for the checks around the function. */
export interface FunctionTensor {
  readonly dtype: string;
  /** With the batch: sizes, names, or -1. */
  readonly dims: readonly (number | string)[];
  readonly optional?: true | undefined;
  /** Its texts are JSON, and values in the function. */
  readonly json?: true | undefined;
}

/** What the manifest tells the twin of a function step: everything that `model.py` has as constants. */
export interface FunctionTwinOptions {
  /** How messages name the step. */
  readonly step: string;
  /** What `run` gets at once: one row, or all rows of a request. */
  readonly per: "row" | "request";
  /** Microseconds that the rows of one request may take. */
  readonly timeLimit: number;
  readonly inputs: Readonly<Record<string, FunctionTensor>>;
  readonly outputs: Readonly<Record<string, FunctionTensor>>;
}

const tensors = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    dims: z.array(z.union([z.int(), z.string()])),
    optional: z.literal(true).optional(),
    json: z.literal(true).optional(),
  }),
);

export const functionTwinSchema: z.ZodType<FunctionTwinOptions> = z.object({
  step: z.string(),
  per: z.enum(["row", "request"]),
  timeLimit: z.int().positive(),
  inputs: tensors,
  outputs: tensors,
});

/** Files of the version folder of a function step, beside `model.py`. */
export const functionFiles = {
  /** The function as an ES module, for the native twin. */
  module: "run.mjs",
  /** `{ "model.py": { "<line>": "<place>" }, "run.mjs": { … } }`: where lines of the two stand in the user's functions. */
  lines: "lines.json",
} as const;
