import { z } from "zod";

/** The options of a detokenizer step as they stand in `StepDefinition.options`. */
export interface DetokenizerStepOptions {
  /** Folder with `tokenizer.json`, from the project's root. */
  readonly from: string;
  /** Default true: special tokens are no part of the text. */
  readonly skipSpecialTokens: boolean;
  /** Takes the spaces before punctuation and English contractions away. Default: what `tokenizer_config.json` says, else false. */
  readonly cleanUp?: boolean | undefined;
  /** dtype of the input. Default INT64. */
  readonly ids: "INT64" | "INT32";
}

const flag = z.boolean("must be true or false");
const options = {
  skipSpecialTokens: flag.default(true),
  ids: z.enum(["INT64", "INT32"], "must be int64 or int32").default("INT64"),
};

/** Reads `StepDefinition.options`; fields of Triton's configuration that stand beside are left out. */
export const detokenizerOptionsSchema: z.ZodType<DetokenizerStepOptions> = z.object({
  from: z.string("must be a folder").min(1, "must be a folder"),
  cleanUp: flag.optional(),
  ...options,
});

/** What the manifest tells the detokenizer's twin: everything that `model.py` has as constants. */
export interface DetokenizerTwinOptions extends Omit<DetokenizerStepOptions, "from" | "cleanUp"> {
  /** How messages name the step. */
  readonly step: string;
  readonly cleanUp: boolean;
  /** Id of the pad token, which is no part of any text; null where the tokenizer has none. */
  readonly padId: number | null;
}

export const detokenizerTwinSchema: z.ZodType<DetokenizerTwinOptions> = z.object({
  ...options,
  step: z.string(),
  cleanUp: flag,
  padId: z.int().nullable(),
});

/** What cleaning a text up replaces, in this order. */
export const cleanUpReplacements: readonly (readonly [string, string])[] = [
  [" .", "."],
  [" ?", "?"],
  [" !", "!"],
  [" ,", ","],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];
