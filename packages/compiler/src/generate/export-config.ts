import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";

const id = z.int().nonnegative();
/** Settings that affect the tokens. */
const settingTypes = {
  eos_token_id: z.union([id.transform((one) => [one]), z.array(id)]),
  decoder_start_token_id: id,
  forced_bos_token_id: id,
  forced_eos_token_id: id,
  suppress_tokens: z.array(id),
  bad_words_ids: z.array(z.array(id)),
  max_new_tokens: id,
  max_length: id,
  min_new_tokens: id,
  min_length: id,
  do_sample: z.boolean(),
  renormalize_logits: z.boolean(),
  num_beams: id,
  num_return_sequences: id,
  length_penalty: z.number(),
  early_stopping: z.union([z.boolean(), z.literal("never")]),
  temperature: z.number(),
  top_k: id,
  top_p: z.number(),
  repetition_penalty: z.number(),
  no_repeat_ngram_size: id,
};
const types: Readonly<Record<string, z.ZodType>> = {
  vocab_size: id,
  decoder_vocab_size: id,
  max_position_embeddings: id,
  n_positions: id,
  n_ctx: id,
  relative_attention_num_buckets: id,
  pad_token_id: id,
  ...settingTypes,
};
/** Fields of the two files, by their original names; a field with the wrong type counts as absent. */
interface Fields {
  readonly vocab_size?: number;
  readonly decoder_vocab_size?: number;
  readonly max_position_embeddings?: number;
  readonly n_positions?: number;
  readonly n_ctx?: number;
  readonly relative_attention_num_buckets?: number;
  readonly pad_token_id?: number;
  readonly decoder_start_token_id?: number;
  readonly forced_bos_token_id?: number;
  readonly forced_eos_token_id?: number;
  readonly max_new_tokens?: number;
  readonly max_length?: number;
  readonly min_new_tokens?: number;
  readonly min_length?: number;
  readonly num_beams?: number;
  readonly num_return_sequences?: number;
  readonly length_penalty?: number;
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  readonly repetition_penalty?: number;
  readonly no_repeat_ngram_size?: number;
  readonly do_sample?: boolean;
  readonly renormalize_logits?: boolean;
  readonly early_stopping?: boolean | "never";
  /** A single id becomes a list. */
  readonly eos_token_id?: readonly number[];
  readonly suppress_tokens?: readonly number[];
  readonly bad_words_ids?: readonly (readonly number[])[];
}

/** The model and search settings in the files next to an export. */
export interface ExportConfig {
  /** config.json */
  readonly model: Fields;
  /** generation_config.json, or config.json if it does not exist, as in transformers. */
  readonly generation: Fields;
  /** The source of `generation`. */
  readonly path: string;
  /** The name and value of a setting in the files that affects the tokens and that we do not support. */
  readonly unsupported: readonly (readonly [setting: string, value: unknown])[];
  /** A setting in the files with a type that differs from transformers'. */
  readonly misread: readonly (readonly [setting: string, value: unknown])[];
}

/** Reads `config.json` and `generation_config.json` in a folder, if they exist. */
export const readExportConfig = (host: CompilerHost, folder: string | undefined): ExportConfig => {
  const json = (name: string): Json | undefined => {
    const value = folder === undefined ? undefined : parseJson(host.readFile(`${folder}/${name}`));
    return typeof value === "object" && value !== null ? (value as Json) : undefined;
  };
  const model = json("config.json") ?? {};
  const own = json("generation_config.json");
  const generation = own ?? model;
  return {
    model: fieldsOf(model),
    generation: fieldsOf(generation),
    path: `${folder ?? "."}/${own === undefined ? "config.json" : "generation_config.json"}`,
    unsupported: Object.entries(generation).filter(
      ([name, value]) => name in neutral && !isNeutral(value, neutral[name]),
    ),
    misread: misreadIn(generation),
  };
};

type Json = Readonly<Record<string, unknown>>;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const fieldsOf = (json: Json): Fields =>
  Object.fromEntries(
    Object.entries(types).flatMap(([name, type]) => {
      const read = type.safeParse(json[name]);
      return read.success ? [[name, read.data]] : [];
    }),
  );

const misreadIn = (json: Json): readonly (readonly [setting: string, value: unknown])[] =>
  Object.entries(settingTypes)
    .filter(([name, type]) => isGiven(json[name]) && !type.safeParse(json[name]).success)
    .map(([name]) => [name, json[name]]);

/** transformers settings that affect the tokens but that we do not support → the value that has no effect. */
const neutral: Readonly<Record<string, unknown>> = {
  begin_suppress_tokens: null,
  diversity_penalty: 0,
  dola_layers: null,
  encoder_no_repeat_ngram_size: 0,
  encoder_repetition_penalty: 1,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  exponential_decay_length_penalty: null,
  force_words_ids: null,
  forced_decoder_ids: null,
  guidance_scale: 1,
  min_p: null,
  num_beam_groups: 1,
  penalty_alpha: null,
  sequence_bias: null,
  stop_strings: null,
  typical_p: 1,
  watermarking_config: null,
};

const isNeutral = (value: unknown, neutralValue: unknown): boolean =>
  value === null || value === neutralValue || (Array.isArray(value) && value.length === 0);
