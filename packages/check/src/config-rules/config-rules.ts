import type { Rule } from "../rule.ts";
import { coreConfigRules } from "./core-config-rules.ts";
import { pythonModelRules } from "./python-model.ts";

/** The faults in a model's configuration and folder that Triton's core and its python backend refuse. */
export const configRules: readonly Rule[] = [...coreConfigRules, ...pythonModelRules];
