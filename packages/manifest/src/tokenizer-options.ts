import { z } from "zod";

/** How the rows of one request become one tensor. */
export type TokenizerPadding =
  | "longest"
  | "maxLength"
  | { readonly multipleOf: number }
  | { readonly buckets: readonly number[] };

/** The options of a tokenizer step as they stand in `StepDefinition.options`, with every default resolved. */
export interface TokenizerStepOptions {
  /** Folder with `tokenizer.json`, from the project's root. */
  readonly from: string;
  /** Most tokens of a row, special tokens included. */
  readonly maxLength: number;
  /** Default `"longest"`. Buckets ascend and end at `maxLength`: a row takes the smallest that fits the longest row. */
  readonly padding: TokenizerPadding;
  /** Default true: longer rows are cut, of a pair the longer text first. When false such a row is an error. */
  readonly truncation: boolean;
  /** Default true. */
  readonly addSpecialTokens: boolean;
  /** Put in front of `text` (not of `text_pair`) before it is tokenized. Default `""`. */
  readonly prefix: string;
  /** A second text per row, the input `text_pair`. Default false. */
  readonly pair: boolean;
  /** dtype of every output. Default INT64. */
  readonly ids: "INT64" | "INT32";
  readonly tokenTypeIds: boolean;
  readonly specialTokensMask: boolean;
  /** Start and end of every token in Unicode code points of the text with its prefix. */
  readonly offsets: boolean;
}

const length = z.int("must be a whole number of tokens").positive("must be at least 1 token");
const flag = z.boolean("must be true or false");
const padding = z.union(
  [
    z.enum(["longest", "maxLength"]),
    z.strictObject({ multipleOf: length }),
    z.strictObject({ buckets: z.array(length).min(1) }),
  ],
  'must be "longest", "maxLength", { multipleOf: n } or { buckets: [n, …] } with whole numbers from 1',
);
const options = {
  maxLength: length,
  padding: padding.default("longest"),
  truncation: flag.default(true),
  addSpecialTokens: flag.default(true),
  prefix: z
    .string("is text")
    .refine((text) => !/\p{Surrogate}/u.test(text), "must not hold half a surrogate pair, which is no text")
    .default(""),
  pair: flag.default(false),
  ids: z.enum(["INT64", "INT32"], "must be int64 or int32").default("INT64"),
  tokenTypeIds: flag.default(false),
  specialTokensMask: flag.default(false),
  offsets: flag.default(false),
};

/** Reads `StepDefinition.options`; fields of Triton's configuration that stand beside are left out. */
export const tokenizerOptionsSchema: z.ZodType<TokenizerStepOptions> = z.object({
  from: z.string("must be a folder").min(1, "must be a folder"),
  ...options,
});

const side = z.enum(["left", "right"]);
export type Side = "left" | "right";

/** What fills the rows that are shorter than their tensor. */
export interface PadToken {
  readonly token: string;
  readonly id: number;
  readonly typeId: number;
  readonly side: Side;
}

/** What the manifest tells the tokenizer's twin: everything that `model.py` has as constants. */
export interface TokenizerTwinOptions extends Omit<TokenizerStepOptions, "from"> {
  /** How messages name the step. Not its place in the source: that would change the model with every line above it. */
  readonly step: string;
  readonly pad: PadToken;
  /** From which end a row is cut. */
  readonly truncationSide: Side;
}

export const tokenizerTwinSchema: z.ZodType<TokenizerTwinOptions> = z.object({
  ...options,
  step: z.string(),
  pad: z.object({ token: z.string(), id: z.int(), typeId: z.int(), side }),
  truncationSide: side,
});
