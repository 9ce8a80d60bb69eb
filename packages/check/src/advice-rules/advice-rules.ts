import type { Rule } from "../rule.ts";
import { batchingRules } from "./batching-rules.ts";
import { calledModelRules } from "./python/called-model-rules.ts";
import { crowdedInstances } from "./crowded-instances-rules.ts";
import { delaysAddUp } from "./ensemble/delays-add-up-rule.ts";
import { enumNumber } from "./enum-number-rule.ts";
import { machinePathRules } from "./machine-path-rules.ts";
import { missingLocale } from "./missing-locale-rule.ts";
import { missingProfile } from "./missing-profile-rule.ts";
import { misnamedConfig } from "./misnamed-config-rule.ts";
import { namingRules } from "./naming-rules.ts";
import { openedFileRules } from "./python/opened-file-rules.ts";
import { missingRequirement } from "./python/missing-requirement-rule.ts";
import { paddingLength } from "./tokenizer/padding-length-rule.ts";
import { pythonFileRules } from "./python/python-file-rules.ts";
import { pythonInputRules } from "./python/python-input-rules.ts";
import { pythonNameRules } from "./python/python-name-rules.ts";
import { pythonOutputRules } from "./python/python-output-rules.ts";
import { pythonParameterRules } from "./python/python-parameter-rules.ts";
import { pythonResponseRules } from "./python/python-response-rules.ts";
import { pythonTextRules } from "./python/python-text-rules.ts";
import { labelCount, rankedLabels } from "./ensemble/ranked-labels-rule.ts";
import { sharedScale } from "./shared-scale-rule.ts";
import { tokenizerInputs } from "./tokenizer/tokenizer-inputs-rule.ts";
import { tokenizerRules } from "./tokenizer/tokenizer-rules.ts";
import { tooEarly } from "./python/too-early-rule.ts";
import { uncountedRows } from "./ensemble/uncounted-rows-rule.ts";
import { warmupCalls } from "./python/warmup-calls-rule.ts";

/** Faults in models that load but fail later, including faults in a `model.py`. */
export const adviceRules: readonly Rule[] = [
  ...namingRules,
  misnamedConfig,
  missingProfile,
  enumNumber,
  labelCount,
  rankedLabels,
  ...batchingRules,
  delaysAddUp,
  ...crowdedInstances,
  sharedScale,
  missingLocale,
  uncountedRows,
  warmupCalls,
  ...machinePathRules,
  ...pythonFileRules,
  missingRequirement,
  tooEarly,
  ...pythonNameRules,
  ...pythonInputRules,
  ...pythonOutputRules,
  ...pythonResponseRules,
  ...calledModelRules,
  ...pythonParameterRules,
  ...openedFileRules,
  ...pythonTextRules,
  paddingLength,
  tokenizerInputs,
  ...tokenizerRules,
];
