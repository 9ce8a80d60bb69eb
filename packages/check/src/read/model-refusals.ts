import { coreConfigRules } from "../config-rules/core-config-rules.ts";
import { folderNameRules } from "../config-rules/names.ts";
import { pythonModelRules } from "../config-rules/python-model.ts";
import { ensembleRules } from "../ensemble-rules/ensemble-rules.ts";
import type { ModelContext } from "../model-context.ts";
import { onnxRules } from "../onnx-rules/onnx-rules.ts";
import { appliesTo, refusedAt, type Rule, type RuleEntry } from "../rule.ts";
import { sequenceRules } from "../sequence-rules/sequence-rules.ts";

/** The reason why Triton does not load a model. */
export interface Refusal {
  readonly code: string;
  /** Triton's message, or the rule's own message if Triton has none, for instance because it crashes. */
  readonly reason: string;
  readonly status?: RuleEntry["status"];
  readonly help: string | undefined;
}

/**
 * The first reason why Triton refuses a model when it reads the repository; undefined if there is none.
 * @param allowed Codes that the server ignores.
 */
export const pollRefusal = (model: ModelContext, allowed: AllowedCodes): Refusal | undefined => {
  const named = { ...model, name: model.config.name ?? model.name };
  return (
    firstRefusal(named, pollRules, allowed) ??
    (model.options.strict === true ? tensorRefusal(named, allowed) : undefined) ??
    firstRefusal(model, folderNames, allowed)
  );
};

/**
 * The first reason why Triton's core or backend refuses a model when it loads it; undefined if there is none. Python
 * code and warmup samples are not checked, because running them shows whether they work.
 * @param allowed Codes that the server ignores.
 */
export const loadRefusal = (model: ModelContext, allowed: AllowedCodes): Refusal | undefined =>
  firstRefusal(model, beforeTensors, allowed) ??
  tensorRefusal(model, allowed) ??
  firstRefusal(model, afterTensors, allowed);

/**
 * The first reason why Triton refuses a model because of its inputs and outputs; undefined if there is none. Triton applies
 * all rules to one tensor after the other.
 * @param allowed Codes that the server ignores.
 */
export const tensorRefusal = (model: ModelContext, allowed: AllowedCodes): Refusal | undefined => {
  const found = firstRefusal(model, tensorRules, allowed);
  if (found === undefined) return undefined;
  for (const one of tensorByTensor(model)) {
    const refusal = firstRefusal(one, tensorRules, allowed);
    if (refusal !== undefined) return refusal;
  }
  return found;
};

const tensorByTensor = (model: ModelContext): readonly ModelContext[] => {
  const { input = [], output = [], batch_input = [], batch_output = [], ...rest } = model.config;
  const none = { input: [], output: [], batch_input: [], batch_output: [] };
  return [
    ...input.map((one) => ({ ...none, input: [one] })),
    ...output.map((one) => ({ ...none, output: [one] })),
    ...batch_input.map((one) => ({ ...none, input, output, batch_input: [one] })),
    ...batch_output.map((one) => ({ ...none, input, output, batch_output: [one] })),
  ].map((tensors) => ({ ...model, config: { ...rest, ...tensors } }));
};

export type AllowedCodes = Pick<ReadonlySet<string>, "has">;

type ModelRule = Rule & { readonly scope: "model" };

const isModelRule = (rule: Rule): rule is ModelRule => rule.scope === "model";

const ofCore = [...coreConfigRules, ...sequenceRules, ...ensembleRules].filter(isModelRule);
const ofBackends = [...pythonModelRules, ...onnxRules].filter(isModelRule);
const pollRules = ofCore.filter(
  ({ entry }) => refusedAt(entry, false) === "poll" || entry.neverAnswers === true,
);
const folderNames = folderNameRules.filter(isModelRule);
const loadRules = [...ofCore, ...ofBackends].filter(({ entry }) => refusedAt(entry, false) === "load");
const isOfTensors = ({ entry }: Rule): boolean => entry.atLoad === "completed";
const firstOfTensors = loadRules.findIndex(isOfTensors);
const beforeTensors = loadRules.slice(0, firstOfTensors);
const tensorRules = loadRules.filter(isOfTensors);
const afterTensors = loadRules.slice(firstOfTensors).filter((rule) => !isOfTensors(rule));

const firstRefusal = (
  model: ModelContext,
  rules: readonly ModelRule[],
  allowed: AllowedCodes,
): Refusal | undefined => {
  for (const { entry, check } of rules) {
    if (allowed.has(entry.code) || !appliesTo(entry, model.options.release.container)) continue;
    const [found] = check(model);
    if (found === undefined) continue;
    const { code, words, message, help } = found;
    const { status } = entry;
    return { code, reason: words ?? message, ...(status && { status }), help };
  }
  return undefined;
};
