import type { Rule } from "../rule.ts";
import { decoupledRules } from "./decoupled-rules.ts";
import { flowRules } from "./flow-rules.ts";
import { mappingRules } from "./mapping-rules.ts";
import { memberRules } from "./member-rules.ts";
import { optionalInputRule } from "./optional-input-rule.ts";
import { requestRules } from "./request-rules.ts";
import { runtimeShapeRules } from "./runtime-shape-rules.ts";
import { schedulingRules } from "./scheduling-rules.ts";
import { sequenceCacheRule } from "./sequence-cache-rule.ts";
import { stepRules } from "./step-rules.ts";
import { tensorRules } from "./tensor-rules.ts";
import { uncountedBatchRule } from "./uncounted-batch-rule.ts";

/**
 * Faults for which Triton refuses ensembles, alone or together with their members, and ensembles that load but cannot
 * respond.
 */
export const ensembleRules: readonly Rule[] = [
  ...schedulingRules,
  ...stepRules,
  ...flowRules,
  ...memberRules,
  ...mappingRules,
  ...tensorRules,
  ...decoupledRules,
  ...requestRules,
  ...runtimeShapeRules,
  optionalInputRule,
  sequenceCacheRule,
  uncountedBatchRule,
];
