import type { Rule } from "../rule.ts";
import { backendRules } from "./backends.ts";
import { nameRules } from "./names.ts";
import { versionRules } from "./versions.ts";

/** What the core and the python backend refuse in one model's configuration, apart from schedulers of several requests. */
export const configRules: readonly Rule[] = [...nameRules, ...backendRules, ...versionRules];
