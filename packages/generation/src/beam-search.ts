import { applyRules } from "./apply-rules.ts";
import { refuseNothing } from "./refuse-nothing.ts";
import type { Found, Search, Start } from "./search.ts";

interface Beam {
  readonly ids: readonly number[];
  /** Sum of the log probabilities of its tokens. */
  readonly sum: number;
}
interface Hypothesis {
  readonly ids: readonly number[];
  readonly score: number;
}

/** The `num_beams` best sequences at each step, ranked by the sum of their tokens' log probabilities. */
export const beamSearch = ({ prompt, ids: before, settings }: Start): Search => {
  const { num_beams: width, eos_token_id: eos, length_penalty: penalty, early_stopping: early } = settings;
  // Before the first token, all beams are identical, so only the first one counts.
  let beams: readonly Beam[] = Array.from({ length: width }, (_, beam) => ({
    ids: before,
    sum: beam === 0 ? 0 : -1e9,
  }));
  let made = 0;
  let done = false;
  const finished: Hypothesis[] = [];
  let worst = 1e9;

  /** Keeps a hypothesis while it is among the best. */
  const finish = (ids: readonly number[], sum: number, length: number): void => {
    const score = sum / length ** penalty;
    if (finished.length >= width && score <= worst) return;
    finished.push({ ids, score });
    if (finished.length <= width) {
      worst = Math.min(score, worst);
      return;
    }
    const ranked = finished.toSorted((a, b) => a.score - b.score);
    finished.splice(finished.indexOf(ranked[0] as Hypothesis), 1);
    worst = (ranked[1] as Hypothesis).score;
  };
  const cannotImprove = (best: number): boolean => {
    if (finished.length < width) return false;
    if (early === true) return true;
    const length = early === "never" && penalty > 0 ? settings.max_new_tokens : made;
    return worst >= best / length ** penalty;
  };

  return {
    prompt,
    advance(logits) {
      const parentOf = (beam: number): number => (logits.length < width ? 0 : beam);
      const rules = logits.map((row, parent) => {
        const scores = logSoftmax(new Float64Array(row));
        applyRules(scores, (beams[parent] as Beam).ids, made, settings);
        return settings.renormalize_logits ? logSoftmax(scores) : scores;
      });
      const size = logits[0]?.length ?? 0;
      const sums = new Float64Array(width * size);
      beams.forEach(({ sum }, beam) => {
        const scores = rules[parentOf(beam)] as Float64Array;
        for (let token = 0; token < size; token++)
          sums[beam * size + token] = (scores[token] as number) + sum;
      });
      const best = bestCandidates(sums, Math.max(2, 1 + eos.length) * width);
      refuseNothing(sums[best[0] ?? 0]);
      const following: (Beam & { readonly parent: number; readonly token: number })[] = [];
      for (const [rank, candidate] of best.entries()) {
        const parent = parentOf(Math.floor(candidate / size));
        const token = candidate % size;
        const sum = sums[candidate] as number;
        const { ids } = beams[parent] as Beam;
        if (!eos.includes(token)) following.push({ parent, token, ids: [...ids, token], sum });
        else if (rank < width) finish(ids, sum, made + 1);
        if (following.length === width) break;
      }
      made += 1;
      done = cannotImprove(sums[best[0] ?? 0] as number);
      beams = following;
      return done || made >= settings.max_new_tokens
        ? []
        : following.map(({ parent, token }) => ({ parent, token }));
    },
    results() {
      if (!done) for (const { ids, sum } of beams) finish(ids, sum, ids.length - before.length);
      return finished
        .toSorted((a, b) => a.score - b.score)
        .toReversed()
        .slice(0, settings.num_return_sequences)
        .map(({ ids, score }): Found => {
          const tokens = ids.slice(before.length);
          // A hypothesis is stored without its end token.
          return {
            tokens: tokens.length < settings.max_new_tokens ? [...tokens, ...eos.slice(0, 1)] : tokens,
            score,
          };
        });
    },
  };
};

/** Turns scores into log probabilities. */
const logSoftmax = (scores: Float64Array): Float64Array => {
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > most) most = score;
  let total = 0;
  for (const score of scores) total += Math.exp(score - most);
  refuseNothing(most);
  refuseNothing(total);
  const log = Math.log(total);
  for (let token = 0; token < scores.length; token++) scores[token] = (scores[token] as number) - most - log;
  return scores;
};

/** Indices of the `count` largest values, in descending order; ties keep their order. NaN comes last. */
const bestCandidates = (scores: Float64Array, count: number): readonly number[] => {
  const best: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] as number;
    if (best.length === count && !(score > least)) continue;
    let place = best.length;
    while (place > 0 && (scores[best[place - 1] as number] as number) < score) place--;
    best.splice(place, 0, index);
    if (best.length > count) best.pop();
    least = scores[best.at(-1) as number] as number;
  }
  return best;
};
