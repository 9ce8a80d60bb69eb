import { applyRules } from "./apply-rules.ts";
import { draw } from "./draw.ts";
import { refuseNothing } from "./refuse-nothing.ts";
import type { Search, Start } from "./search.ts";

/** A search that follows one sequence. */
export interface SingleSearch extends Search {
  /** The sequence's last token. */
  last(): number;
}

/** A single sequence of the best tokens or of randomly drawn ones. */
export const singleSearch = ({ prompt, ids: before, row, settings }: Start): SingleSearch => {
  const ids = [...before];
  return {
    prompt,
    advance([logits = new Float32Array()]) {
      const made = ids.length - before.length;
      const scores = applyRules(new Float64Array(logits), ids, made, settings);
      const best = largest(scores);
      refuseNothing(scores[best]);
      const token = settings.kind === "sample" ? draw(scores, settings, row, made) : best;
      ids.push(token);
      const ended = settings.eos_token_id.includes(token) || made + 1 >= settings.max_new_tokens;
      return ended ? [] : [{ parent: 0, token }];
    },
    last: () => ids.at(-1) ?? 0,
    results: () => [{ tokens: ids.slice(before.length), score: 0 }],
  };
};

/** The first of the largest elements; the first NaN if there is one. */
const largest = (scores: Float64Array): number => {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let token = 0; token < scores.length; token++) {
    const score = scores[token] as number;
    if (Number.isNaN(score)) return token;
    if (score > most) {
      most = score;
      best = token;
    }
  }
  return best;
};
