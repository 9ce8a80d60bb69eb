import { z } from "zod";

/** A tensor of a function step: its declaration, for the checks around the function. */
export interface FunctionTensor {
  readonly dtype: string;
  /** Dims with the batch: sizes, names, or -1. */
  readonly dims: readonly (number | string)[];
  readonly optional?: true | undefined;
  /** Whether its strings are JSON, whose values are passed to the function. */
  readonly json?: true | undefined;
  /** A callee's name in requests, if it differs from the declaration. */
  readonly servedAs?: string | undefined;
}

/** The manifest's options for a function step's twin: all constants in `model.py`. */
export interface FunctionTwinOptions {
  /** The step's name, for messages. */
  readonly step: string;
  /** The argument of `run`: one row, or all rows of a request. */
  readonly per: "row" | "request";
  /** The time in microseconds that the rows of one request may take. */
  readonly timeLimit: number;
  readonly inputs: Readonly<Record<string, FunctionTensor>>;
  readonly outputs: Readonly<Record<string, FunctionTensor>>;
}

export const functionTensors: z.ZodType<FunctionTwinOptions["inputs"]> = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    dims: z.array(z.union([z.int(), z.string()])),
    optional: z.literal(true).optional(),
    json: z.literal(true).optional(),
    servedAs: z.string().optional(),
  }),
);

export const functionTwinSchema: z.ZodType<FunctionTwinOptions> = z.object({
  step: z.string(),
  per: z.enum(["row", "request"]),
  timeLimit: z.int().positive(),
  inputs: functionTensors,
  outputs: functionTensors,
});

/** Files in the version folder of a function step, next to `model.py`. */
export const functionFiles = {
  /** The function as an ES module, for the native twin. */
  module: "run.mjs",
  /** `{ "model.py": { "<line>": "<place>" }, "run.mjs": { … } }`: maps lines of the two files to the user's functions. */
  lines: "lines.json",
} as const;
