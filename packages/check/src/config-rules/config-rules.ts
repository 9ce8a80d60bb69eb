import type { Rule } from "../rule.ts";
import { coreConfigRules } from "./core-config-rules.ts";
import { pythonModelRules } from "./python-model.ts";

/** What Triton's core and its python backend refuse in a model's configuration and folder. */
export const configRules: readonly Rule[] = [...coreConfigRules, ...pythonModelRules];
