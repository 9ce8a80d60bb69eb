import type { GenerateOptions, ModelFields } from "@tritype/dsl";
import { z } from "zod";
import type { OptionForms } from "../step-kind.ts";

const id = z.int("must be a token's id").nonnegative("must be a token's id");
const ids = z.array(id, "must be a list of token ids");
const count = z.int("must be a whole number").nonnegative("must be at least 0");
const some = z.int("must be a whole number").positive("must be at least 1");
const above = z.number("must be a number").positive("must be above 0");
const path = z.string("must be a path").min(1, "must be a path");

const search = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("greedy") }),
    z.strictObject({
      kind: z.literal("sample"),
      temperature: above.optional(),
      topK: count.optional(),
      topP: above.max(1, "must be at most 1").optional(),
      seed: z.int("must be a whole number").optional(),
    }),
    z.strictObject({
      kind: z.literal("beam"),
      beams: z.int("must be a whole number").min(2, "must be at least 2: one beam is greedy search"),
      lengthPenalty: z.number("must be a number").optional(),
      earlyStopping: z.union([z.boolean(), z.literal("never")], 'must be true, false or "never"').optional(),
      renormalizeLogits: z.boolean("must be true or false").optional(),
      returnSequences: some.optional(),
      scores: z.boolean("must be true or false").optional(),
    }),
  ],
  'must be { kind: "greedy" }, { kind: "sample", … } or { kind: "beam", beams: … }',
);

const perRequest = z.enum(
  [
    "forced_bos_token_id",
    "max_new_tokens",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "repetition_penalty",
    "seed",
    "stop",
    "temperature",
    "top_k",
    "top_p",
  ],
  "cannot be set by a request",
);

const flag = z.boolean("must be true or false");
const text: z.ZodType<StreamedTextOptions> = z.strictObject({
  from: path,
  skipSpecialTokens: flag.default(true),
  cleanUp: flag.optional(),
});

const schema = z.object({
  from: path.optional(),
  encoder: path.optional(),
  decoder: path.optional(),
  decoderWithPast: path.optional(),
  search: search.optional(),
  maxNewTokens: some.optional(),
  minNewTokens: count.optional(),
  repetitionPenalty: above.optional(),
  noRepeatNgramSize: count.optional(),
  eosTokenId: z
    .union([id.transform((one) => [one]), ids], "must be a token id or a list of token ids")
    .optional(),
  padTokenId: id.optional(),
  decoderStartTokenId: id.optional(),
  forcedBosTokenId: id.optional(),
  forcedEosTokenId: id.optional(),
  suppressTokens: ids.optional(),
  maxPositions: some.optional(),
  stream: flag.default(false),
  text: text.optional(),
  stop: z
    .array(z.string("must be a string").min(1, "must not be empty"), "must be a list of strings")
    .optional(),
  perRequest: z.array(perRequest, "must be a list of names").default([]),
});

interface StreamedTextOptions {
  readonly from: string;
  readonly skipSpecialTokens: boolean;
  readonly cleanUp?: boolean | undefined;
}

/** Options that every step may have, or that only the step's declaration uses. */
type OfStep = "name" | "seq" | "generated" | "maxBatchSize" | "dynamicBatching" | "modelWarmup";

/** The options of a generate step; only their structure has been checked, and Triton's own fields are ignored. */
export interface GenerateStepOptions
  extends Omit<
    GenerateOptions,
    keyof ModelFields | OfStep | "eosTokenId" | "perRequest" | "stream" | "text"
  > {
  readonly stream: boolean;
  readonly text?: StreamedTextOptions | undefined;
  readonly eosTokenId?: readonly number[] | undefined;
  readonly perRequest: readonly string[];
}

export const generateOptionsSchema: z.ZodType<GenerateStepOptions> = schema as never;

const name = z.string("must be a string");

/** The schema for each option. */
export const generateForms: OptionForms = { ...schema.shape, seq: name, generated: name };
