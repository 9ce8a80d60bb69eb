import { z } from "zod";
import type { StepForms } from "./tokenizer-options.ts";

/** The options of a detokenizer step, as in `StepDefinition.options`. */
export interface DetokenizerStepOptions {
  /** Folder with `tokenizer.json`, from the project's root. */
  readonly from: string;
  /** Default true: special tokens are not part of the text. */
  readonly skipSpecialTokens: boolean;
  /** Removes the spaces before punctuation and English contractions. Default: from `tokenizer_config.json`, otherwise false. */
  readonly cleanUp?: boolean | undefined;
  /** dtype of the input. Default INT64. */
  readonly ids: "INT64" | "INT32";
}

const flag = z.boolean("must be true or false");
const options = {
  skipSpecialTokens: flag.default(true),
  ids: z.enum(["INT64", "INT32"], "must be int64 or int32").default("INT64"),
};

const stepOptions = z.object({
  from: z.string("must be a folder").min(1, "must be a folder"),
  cleanUp: flag.optional(),
  ...options,
});

/** The schema for each option of a detokenizer step. */
export const detokenizerForms: StepForms = stepOptions.shape;

/** Reads `StepDefinition.options`; ignores the fields of Triton's configuration in it. */
export const detokenizerOptionsSchema: z.ZodType<DetokenizerStepOptions> = stepOptions;

/** The manifest's options for the detokenizer's twin: all constants in `model.py`. */
export interface DetokenizerTwinOptions extends Omit<DetokenizerStepOptions, "from" | "cleanUp"> {
  /** The step's name, for messages. */
  readonly step: string;
  readonly cleanUp: boolean;
  /** Id of the pad token, which is not part of any text; null if the tokenizer has none. */
  readonly padId: number | null;
}

export const detokenizerTwinSchema: z.ZodType<DetokenizerTwinOptions> = z.object({
  ...options,
  step: z.string(),
  cleanUp: flag,
  padId: z.int().nullable(),
});

/** The replacements that clean up a text, in this order. */
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
