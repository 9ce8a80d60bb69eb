import type { Settings } from "@tritype/generation";
import { z } from "zod";

/** A cache tensor that one step returns and the next step takes. */
export interface CacheLink {
  /** A cache tensor that one step returns and the next one reads. */
  readonly present: string;
  /** Name of the input. */
  readonly past: string;
}

/** One exported file, and the information needed to run a step with it. */
export interface ExportedPart {
  /** Name in the version folder. */
  readonly file: string;
  /** Every input of the file. */
  readonly inputs: readonly string[];
  /** The caches that it returns; other caches keep their values from an earlier step. */
  readonly keeps: readonly CacheLink[];
}

/** The shape of a cache before the first token, which some files need. */
export interface EmptyCache {
  readonly past: string;
  readonly dtype: "FP16" | "FP32";
  /** The sizes without the batch, with 0 for the token axis. */
  readonly shape: readonly number[];
  /** The token axis; the batch is axis 0. */
  readonly axis: number;
}

/** An exported encoder-decoder, or just a decoder, derived from its files' signatures. */
export interface ExportedModel {
  /** Absent in a decoder-only model. */
  readonly encoder?: { readonly file: string; readonly inputs: readonly string[] } | undefined;
  /** The step without a cache. */
  readonly first: ExportedPart;
  /** Every later step; a file that does both is listed twice. */
  readonly next: ExportedPart;
  readonly caches: readonly EmptyCache[];
  /** For an encoder-decoder: the token that the decoder starts from. */
  readonly start?: number | undefined;
  /** The number of ids that a prompt may contain, starting from 0. */
  readonly vocabulary: number;
  /** The number of ids with scores. */
  readonly scored: number;
  /** Maximum number of tokens per row; null if the model has no limit. */
  readonly positions: number | null;
  /** Whether rows of different lengths may run together: false if a decoder counts padding in its positions. */
  readonly padded: boolean;
}

/** A row's defaults; `seed` is a number, since JSON has no 64-bit integers. */
export interface GenerateSettings extends Omit<Settings, "seed"> {
  readonly seed: number;
}

/** The options of a streaming generate step, in its `generate.json`. */
export interface StreamingOptions extends GenerateTwinOptions {
  /** How tokens are turned into text; absent if the step has no output for it. */
  readonly text?: StreamedText | undefined;
}

/** How a stream's tokens are turned into text. */
export interface StreamedText {
  readonly skipSpecialTokens: boolean;
  /** Replacements, in this order: a string and the string that replaces it. */
  readonly cleanUp: readonly (readonly [string, string])[];
  /** The token that is never part of the text. */
  readonly padId: number | null;
  /** Strings that end a row. */
  readonly stop: readonly string[];
}

/** The options of a generate step: in the manifest for the twin, in `generate.json` for the emitted `model.py`. */
export interface GenerateTwinOptions {
  /** The step's name, for messages. */
  readonly step: string;
  readonly exported: ExportedModel;
  /** Pads sequences that are shorter than their tensor. */
  readonly pad: number;
  readonly settings: GenerateSettings;
  /** Request inputs that override the settings with the same names. */
  readonly perRequest: readonly string[];
}

const id = z.int().nonnegative();
const part = z.object({
  file: z.string(),
  inputs: z.array(z.string()),
  keeps: z.array(z.object({ present: z.string(), past: z.string() })),
});
const settings = z.object({
  kind: z.enum(["greedy", "sample", "beam"]),
  max_new_tokens: z.int().positive(),
  min_new_tokens: id,
  eos_token_id: z.array(id),
  forced_bos_token_id: id.nullable(),
  forced_eos_token_id: id.nullable(),
  suppress_tokens: z.array(id),
  repetition_penalty: z.number().positive(),
  no_repeat_ngram_size: id,
  temperature: z.number().positive(),
  top_k: id,
  top_p: z.number().positive().max(1),
  seed: z.int(),
  num_beams: z.int().positive(),
  renormalize_logits: z.boolean(),
  length_penalty: z.number(),
  early_stopping: z.union([z.boolean(), z.literal("never")]),
  num_return_sequences: z.int().positive(),
});

/** Inputs that text clients know. */
export type TextSettings = Pick<
  GenerateSettings,
  "eos_token_id" | "kind" | "max_new_tokens" | "min_new_tokens" | "seed" | "temperature" | "top_k" | "top_p"
>;

export const textSettingsSchema: z.ZodType<TextSettings> = settings.pick({
  kind: true,
  max_new_tokens: true,
  min_new_tokens: true,
  eos_token_id: true,
  temperature: true,
  top_k: true,
  top_p: true,
  seed: true,
});

const generateTwin = z.object({
  step: z.string(),
  exported: z.object({
    encoder: z.object({ file: z.string(), inputs: z.array(z.string()) }).optional(),
    first: part,
    next: part,
    caches: z.array(
      z.object({
        past: z.string(),
        dtype: z.enum(["FP16", "FP32"]),
        shape: z.array(id),
        axis: z.int().positive(),
      }),
    ),
    start: id.optional(),
    vocabulary: z.int().positive(),
    scored: z.int().positive(),
    positions: z.int().positive().nullable(),
    padded: z.boolean(),
  }),
  pad: id,
  settings,
  perRequest: z.array(z.string()),
});

export const generateTwinSchema: z.ZodType<GenerateTwinOptions> = generateTwin;

export const streamTwinSchema: z.ZodType<StreamingOptions> = generateTwin.extend({
  text: z
    .object({
      skipSpecialTokens: z.boolean(),
      cleanUp: z.array(z.tuple([z.string(), z.string()])),
      padId: id.nullable(),
      stop: z.array(z.string()),
    })
    .optional(),
});
