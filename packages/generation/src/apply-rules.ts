import type { Settings } from "./settings.ts";

/**
 * Changes the scores [vocabulary] according to the tokens that the settings forbid or force. `tokens` contains all
 * tokens so far; `made` of them are new. The rules and their order are the same as in Hugging Face `transformers`.
 */
export const applyRules = (
  scores: Float64Array,
  ids: readonly number[],
  made: number,
  settings: Settings,
): Float64Array => {
  const { repetition_penalty: penalty, no_repeat_ngram_size: size } = settings;
  if (penalty !== 1)
    for (const token of new Set(ids)) {
      const score = scores[token] ?? 0;
      scores[token] = score < 0 ? score * penalty : score / penalty;
    }
  if (size > 0) forbid(scores, repeatingTokens(ids, size));
  forbid(scores, settings.suppress_tokens);
  if (made < settings.min_new_tokens) forbid(scores, settings.eos_token_id);
  if (made === settings.max_new_tokens - 1 && settings.forced_eos_token_id !== null)
    return only(settings.forced_eos_token_id, scores);
  if (made === 0 && settings.forced_bos_token_id !== null) return only(settings.forced_bos_token_id, scores);
  return scores;
};

const forbid = (scores: Float64Array, tokens: readonly number[]): void => {
  for (const token of tokens) scores[token] = Number.NEGATIVE_INFINITY;
};

const only = (token: number, scores: Float64Array): Float64Array => {
  scores.fill(Number.NEGATIVE_INFINITY);
  scores[token] = 0;
  return scores;
};

/** Tokens that would repeat an earlier run of `size` tokens. */
const repeatingTokens = (ids: readonly number[], size: number): readonly number[] => {
  const before = size - 1;
  if (ids.length < before) return [];
  const last = ids.slice(ids.length - before);
  const tokens: number[] = [];
  for (let at = 0; at + before < ids.length; at++)
    if (last.every((token, place) => ids[at + place] === token)) tokens.push(ids[at + before] as number);
  return tokens;
};
