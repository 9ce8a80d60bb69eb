import { adviceRules } from "./advice-rules/advice-rules.ts";
import { configRules } from "./config-rules/config-rules.ts";
import { unreadableFile } from "./config-rules/needed-files.ts";
import { ensembleRules } from "./ensemble-rules/ensemble-rules.ts";
import { onnxRules } from "./onnx-rules/onnx-rules.ts";
import { readingEntries } from "./read/reading-entries.ts";
import { completeEntry, type Rule, type RuleEntry, type WrittenEntry } from "./rule.ts";
import { sequenceRules } from "./sequence-rules/sequence-rules.ts";
import { warmupRules } from "./warmup-rules/warmup-rules.ts";

/** Every rule, in execution order. */
export const rules: readonly Rule[] = [
  ...configRules,
  unreadableFile,
  ...onnxRules,
  ...sequenceRules,
  ...warmupRules,
  ...ensembleRules,
  ...adviceRules,
];

/** The entries for all codes that a check may report: first the problems that prevent reading, then the rules. */
export const entries: readonly RuleEntry[] = [
  ...Object.values<WrittenEntry>(readingEntries).map(completeEntry),
  ...rules.map(({ entry }) => entry),
];
