/** The settings of one row, with Hugging Face's names: the fields of `Settings` in `python/decoding.py`, except `row`. */
export interface Settings {
  readonly kind: "greedy" | "sample" | "beam";
  /** At least 1. */
  readonly max_new_tokens: number;
  readonly min_new_tokens: number;
  /** Tokens that end a sequence; the list may be empty. */
  readonly eos_token_id: readonly number[];
  /** The first new token, regardless of the scores; null for none. */
  readonly forced_bos_token_id: number | null;
  /** The token at `max_new_tokens`; null for none. */
  readonly forced_eos_token_id: number | null;
  /** Tokens that are never generated. */
  readonly suppress_tokens: readonly number[];
  /** A value above 1 makes tokens that already occur less likely; 1 has no effect. */
  readonly repetition_penalty: number;
  /** No run of this many tokens occurs twice; 0 disables the rule. */
  readonly no_repeat_ngram_size: number;
  readonly temperature: number;
  /** Draws only from this many of the best tokens; 0 for all. */
  readonly top_k: number;
  /** Draws only from the best tokens that together have this share of the probability; 1 for all. */
  readonly top_p: number;
  /** A signed or unsigned 64-bit integer. */
  readonly seed: bigint;
  readonly num_beams: number;
  /** Whether beams normalize probabilities over the tokens that the rules allow. */
  readonly renormalize_logits: boolean;
  /** Hypotheses are ranked by their sum divided by length ** length_penalty. */
  readonly length_penalty: number;
  /** Whether `num_beams` finished hypotheses are enough; "never" waits until no better one is possible. */
  readonly early_stopping: boolean | "never";
  /** Maximum `num_beams`. */
  readonly num_return_sequences: number;
}
