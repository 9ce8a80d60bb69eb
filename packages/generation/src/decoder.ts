/** A number for each token of the vocabulary, row by row. */
export interface Scores {
  /** [rows, vocabulary] */
  readonly data: Float32Array;
  readonly vocabulary: number;
}

/** A model that has a cache of what it has seen of some rows. */
export interface Decoder {
  /** The scores of the first token after each prompt. */
  start(prompts: readonly (readonly number[])[]): Promise<Scores>;
  /** The scores after one more token: row i goes on with `tokens[i]` where row `parents[i]` was. */
  advance(parents: readonly number[], tokens: readonly number[]): Promise<Scores>;
}
