import type { Settings } from "./settings.ts";

/** The start of a row. */
export interface Start {
  /** The tokens that the model starts from. */
  readonly prompt: readonly number[];
  /** The tokens that the rules see before the first new token. */
  readonly ids: readonly number[];
  /** The row's index in its request. */
  readonly row: number;
  readonly settings: Settings;
}

/** The continuation of one row: `token`, after row `parent` of the scores. */
export interface Step {
  readonly parent: number;
  readonly token: number;
}

/** A row's new tokens and their score; the score of a single sequence is 0. */
export interface Found {
  readonly tokens: readonly number[];
  readonly score: number;
}

/** The search that generates one row's answer. */
export interface Search {
  /** The tokens that the model starts from. */
  readonly prompt: readonly number[];
  /** Takes the scores of each of its sequences; returns how they continue, or undefined when it has ended. */
  advance(scores: readonly Float32Array[]): readonly Step[];
  /** Best first. */
  results(): readonly Found[];
}
