import type { GenerateSettings } from "@tritype/manifest";
import type { ExportConfig } from "./export-config.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/**
 * A row's settings. Missing settings come from the configuration, and otherwise from Hugging Face's defaults. Undefined
 * if no length is set.
 */
export const generateSettings = (
  options: GenerateStepOptions,
  { generation }: ExportConfig,
  isEncoderDecoder: boolean,
): GenerateSettings | undefined => {
  // `max_length` and `min_length` include the decoder's start; the length of a prompt is unknown.
  const without = (length: number | undefined): number | undefined =>
    length === undefined || !isEncoderDecoder ? undefined : length - 1;
  const max = options.maxNewTokens ?? generation.max_new_tokens ?? without(generation.max_length);
  if (max === undefined || max < 1) return undefined;
  const min = options.minNewTokens ?? generation.min_new_tokens ?? without(generation.min_length) ?? 0;
  return {
    ...searchSettings(options, generation),
    max_new_tokens: max,
    min_new_tokens: Math.max(0, min),
    eos_token_id: [...(options.eosTokenId ?? generation.eos_token_id ?? [])],
    forced_bos_token_id: isEncoderDecoder
      ? (options.forcedBosTokenId ?? generation.forced_bos_token_id ?? null)
      : null,
    forced_eos_token_id: options.forcedEosTokenId ?? generation.forced_eos_token_id ?? null,
    suppress_tokens: [
      ...(options.suppressTokens ?? [
        ...(generation.suppress_tokens ?? []),
        ...(generation.bad_words_ids ?? []).flat(),
      ]),
    ],
    repetition_penalty: options.repetitionPenalty ?? generation.repetition_penalty ?? 1,
    no_repeat_ngram_size: options.noRepeatNgramSize ?? generation.no_repeat_ngram_size ?? 0,
  };
};

type SearchSettings = Pick<
  GenerateSettings,
  | "kind"
  | "temperature"
  | "top_k"
  | "top_p"
  | "seed"
  | "num_beams"
  | "renormalize_logits"
  | "length_penalty"
  | "early_stopping"
  | "num_return_sequences"
>;

const searchSettings = (
  { search }: GenerateStepOptions,
  generation: ExportConfig["generation"],
): SearchSettings => {
  const beams = generation.num_beams ?? 1;
  const kind = search?.kind ?? (beams > 1 ? "beam" : generation.do_sample === true ? "sample" : "greedy");
  const sample = search?.kind === "sample" ? search : undefined;
  // Some published configurations contain `temperature: 0` even without sampling.
  const drawn = kind === "sample" ? generation : {};
  const beam = search?.kind === "beam" ? search : undefined;
  return {
    kind,
    temperature: sample?.temperature ?? drawn.temperature ?? 1,
    top_k: sample?.topK ?? drawn.top_k ?? 50,
    top_p: sample?.topP ?? drawn.top_p ?? 1,
    seed: sample?.seed ?? 0,
    num_beams: kind === "beam" ? (beam?.beams ?? beams) : 1,
    renormalize_logits: beam?.renormalizeLogits ?? generation.renormalize_logits ?? false,
    length_penalty: beam?.lengthPenalty ?? generation.length_penalty ?? 1,
    early_stopping: beam?.earlyStopping ?? generation.early_stopping ?? false,
    num_return_sequences: beam?.returnSequences ?? 1,
  };
};
