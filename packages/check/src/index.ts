export type { CheckOptions, ServerInstallation, SoundModels } from "./check-options.ts";
export type { FieldPath, ModelContext } from "./model-context.ts";
export type { Entry, RepositoryHost } from "./repository-host.ts";
export type { Rule, RuleEntry } from "./rule.ts";
export {
  type CheckedRepository,
  checkConfigText,
  checkRepositories,
  checkRepository,
} from "./read/check-repository.ts";
export { callsByModel } from "./advice-rules/python/called-models.ts";
export { configNames } from "./read/config-names.ts";
export { sortFindings } from "./read/sort-findings.ts";
export type { KnownConfig, MountedRepository } from "./read/mounted-repository.ts";
export { entries, rules } from "./registry.ts";
export { type Explanation, explainMessage, nearestMessages } from "./messages/explain-message.ts";
export { type LogRecord, readRecords } from "./messages/message-lines.ts";
export type { FixPlace, Names, ServerMessage } from "./messages/server-message.ts";
