import { NothingFollows } from "./refuse-nothing.ts";
import type { Search, Step } from "./search.ts";

/** A number for each token of the vocabulary, row by row. */
export interface Scores {
  /** [rows, vocabulary] */
  readonly data: Float32Array;
  readonly vocabulary: number;
}

/** A model and its cache of the tokens so far, for a set of rows. */
export interface Decoder {
  /** The scores of the first token after each prompt. */
  start(prompts: readonly (readonly number[])[]): Promise<Scores>;
  /** The scores after one more token: row i continues row `parents[i]` with `tokens[i]`. */
  advance(parents: readonly number[], tokens: readonly number[]): Promise<Scores>;
}

export interface OwnedSearch<Owner> {
  readonly search: Search;
  readonly owner: Owner;
}

/**
 * Runs searches together, with one decoder step for all that are still running. Before every step, each owner is asked
 * once whether its rows are still wanted. Rows that have ended leave the batch. `generate` in `python/decoding.py` does
 * the same.
 * @param fail Called for an owner if no token can follow in one of its rows; the owner is not asked again.
 */
export const generate = async <Owner>(
  decoder: Decoder,
  rows: readonly OwnedSearch<Owner>[],
  isWanted: (owner: Owner) => boolean,
  fail: (owner: Owner, error: NothingFollows) => void,
): Promise<void> => {
  const failed = new Set<Owner>();
  const advance = ({ search, owner }: OwnedSearch<Owner>, own: readonly Float32Array[]): readonly Step[] => {
    try {
      return search.advance(own);
    } catch (error) {
      if (!(error instanceof NothingFollows)) throw error;
      if (!failed.has(owner)) fail(owner, error);
      failed.add(owner);
      return [];
    }
  };
  let live = wanted(rows, isWanted).map((row) => ({ ...row, width: 1 }));
  if (live.length === 0) return;
  let scores = await decoder.start(live.map(({ search }) => search.prompt));
  for (;;) {
    let at = 0;
    const going: (OwnedSearch<Owner> & { readonly steps: readonly Step[] })[] = [];
    for (const { search, owner, width } of live) {
      const first = at;
      const own = Array.from({ length: width }, (_, row) => rowOf(scores, first + row));
      const steps = advance({ search, owner }, own).map(({ parent, token }) => ({
        parent: first + parent,
        token,
      }));
      if (steps.length > 0) going.push({ search, owner, steps });
      at += width;
    }
    const kept = wanted(
      going.filter(({ owner }) => !failed.has(owner)),
      isWanted,
    );
    if (kept.length === 0) return;
    live = kept.map((row) => ({ ...row, width: row.steps.length }));
    const steps = kept.flatMap((row) => row.steps);
    scores = await decoder.advance(
      steps.map(({ parent }) => parent),
      steps.map(({ token }) => token),
    );
  }
};

const wanted = <Owner, Row extends OwnedSearch<Owner>>(
  rows: readonly Row[],
  isWanted: (owner: Owner) => boolean,
): readonly Row[] => {
  const kept = new Set([...new Set(rows.map(({ owner }) => owner))].filter(isWanted));
  return rows.filter(({ owner }) => kept.has(owner));
};

export const rowOf = ({ data, vocabulary }: Scores, row: number): Float32Array =>
  data.subarray(row * vocabulary, (row + 1) * vocabulary);
