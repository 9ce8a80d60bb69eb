import type { Rule } from "../rule.ts";
import { batchingRules } from "./batching-rules.ts";
import { calledModelRules } from "./called-model-rules.ts";
import { enumNumber } from "./enum-number-rule.ts";
import { machinePathRules } from "./machine-path-rules.ts";
import { missingLocale } from "./missing-locale-rule.ts";
import { missingProfile } from "./missing-profile-rule.ts";
import { misnamedConfig } from "./misnamed-config-rule.ts";
import { namingRules } from "./naming-rules.ts";
import { openedFileRules } from "./opened-file-rules.ts";
import { missingRequirement } from "./missing-requirement-rule.ts";
import { paddingLength } from "./padding-length-rule.ts";
import { pythonFileRules } from "./python-file-rules.ts";
import { pythonInputRules } from "./python-input-rules.ts";
import { pythonNameRules } from "./python-name-rules.ts";
import { pythonOutputRules } from "./python-output-rules.ts";
import { pythonParameterRules } from "./python-parameter-rules.ts";
import { pythonResponseRules } from "./python-response-rules.ts";
import { pythonTextRules } from "./python-text-rules.ts";
import { rankedLabels } from "./ranked-labels-rule.ts";
import { sharedScale } from "./shared-scale-rule.ts";
import { tokenizerInputs } from "./tokenizer-inputs-rule.ts";
import { tokenizerRules } from "./tokenizer-rules.ts";
import { uncountedRows } from "./uncounted-rows-rule.ts";
import { warmupCalls } from "./warmup-calls-rule.ts";

/** Faults that Triton loads and gets wrong later, including those of a `model.py`. */
export const adviceRules: readonly Rule[] = [
  ...namingRules,
  misnamedConfig,
  missingProfile,
  enumNumber,
  rankedLabels,
  ...batchingRules,
  sharedScale,
  missingLocale,
  uncountedRows,
  warmupCalls,
  ...machinePathRules,
  ...pythonFileRules,
  missingRequirement,
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
