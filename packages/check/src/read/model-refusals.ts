import { coreConfigRules } from "../config-rules/core-config-rules.ts";
import { pythonModelRules } from "../config-rules/python-model.ts";
import { ensembleRules } from "../ensemble-rules/ensemble-rules.ts";
import type { ModelContext } from "../model-context.ts";
import { onnxRules } from "../onnx-rules/onnx-rules.ts";
import { appliesTo, refusedAt, type Rule } from "../rule.ts";
import { sequenceRules } from "../sequence-rules/sequence-rules.ts";

/** Why Triton does not load a model. */
export interface Refusal {
  readonly code: string;
  /** Triton's words; the rule's own where Triton has none, because it dies of it for instance. */
  readonly reason: string;
  readonly help: string | undefined;
}

/**
 * The first reason for which Triton refuses a model when it reads the repository; undefined when it has none.
 * @param allowed Codes that the server does without.
 */
export const pollRefusal = (model: ModelContext, allowed: AllowedCodes): Refusal | undefined =>
  firstRefusal(model, pollRules, allowed);

/**
 * The first reason for which Triton's core or backend refuses a model that it loads; undefined when it has none. Python code and
 * warmup samples are not judged here: running them tells.
 * @param allowed Codes that the server does without.
 */
export const loadRefusal = (model: ModelContext, allowed: AllowedCodes): Refusal | undefined =>
  firstRefusal(model, loadRules, allowed);

export type AllowedCodes = Pick<ReadonlySet<string>, "has">;

type ModelRule = Rule & { readonly scope: "model" };

const isModelRule = (rule: Rule): rule is ModelRule => rule.scope === "model";

const ofCore = [...coreConfigRules, ...sequenceRules, ...ensembleRules].filter(isModelRule);
const ofBackends = [...pythonModelRules, ...onnxRules].filter(isModelRule);
const pollRules = ofCore.filter(({ entry }) => refusedAt(entry) === "poll" || entry.neverAnswers === true);
const loadRules = [...ofCore, ...ofBackends].filter(({ entry }) => refusedAt(entry) === "load");

const firstRefusal = (
  model: ModelContext,
  rules: readonly ModelRule[],
  allowed: AllowedCodes,
): Refusal | undefined => {
  for (const rule of rules) {
    if (allowed.has(rule.entry.code) || !appliesTo(rule.entry, model.options.release.container)) continue;
    const [found] = rule.check(model);
    if (found !== undefined)
      return { code: found.code, reason: found.words ?? found.message, help: found.help };
  }
  return undefined;
};
