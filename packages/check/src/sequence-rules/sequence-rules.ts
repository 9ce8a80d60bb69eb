import type { Rule } from "../rule.ts";
import { batcherRules, cacheRules } from "./batcher-rules.ts";
import { controlRules } from "./control-rules.ts";
import { stateRules } from "./state-rules.ts";

/** Faults in `sequence_batching` for which Triton refuses a model, and states that cannot work. */
export const sequenceRules: readonly Rule[] = [
  ...cacheRules,
  ...controlRules,
  ...batcherRules,
  ...stateRules,
];
