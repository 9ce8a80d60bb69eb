import type { Rule } from "../rule.ts";
import { coreConfigRules } from "./core-config-rules.ts";
import { folderNameRules } from "./names.ts";
import { pythonModelRules } from "./python-model.ts";

/** Faults in a model's configuration and folder that Triton's core or its python backend refuses. */
export const configRules: readonly Rule[] = [...folderNameRules, ...coreConfigRules, ...pythonModelRules];
