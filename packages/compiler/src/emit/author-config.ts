import type { Diagnostic, OptionPath, StepDefinition } from "@tritype/core";
import { lowerModelFields, type ModelConfig, parseModelConfig } from "@tritype/triton";
import { writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";

/** The DSL's fields that go into a model's configuration as they are. */
export const authorFields = [
  "instanceGroup",
  "versionPolicy",
  "optimization",
  "responseCache",
  "parameters",
  "ccModelFilenames",
  "modelTransactionPolicy",
  "modelOperations",
  "modelRepositoryAgents",
  "metricTags",
  "modelMetrics",
  "runtime",
  "dynamicBatching",
  "sequenceBatching",
  "batchInput",
  "batchOutput",
] as const;

type Fields = Readonly<Record<string, unknown>>;
export interface AuthorConfig {
  readonly config: Partial<ModelConfig>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The user's settings of the model's configuration, with Triton's names; `defaults` fill in missing fields. null, which a profile
 * may contain, removes a field.
 */
export const authorConfig = (step: StepDefinition, defaults: Fields = {}): AuthorConfig => {
  const given = authorFields.flatMap((field) => {
    const own = step.options[field];
    const value = own === undefined ? defaults[field] : own;
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  const lowered = lowerModelFields({
    ...Object.fromEntries(given),
    ...tensorFields("input", step.options["inputFields"]),
    ...tensorFields("output", step.options["outputFields"]),
  });
  if ("problem" in lowered)
    return {
      config: {},
      diagnostics: [badField(step, lowered.problem.message, fieldPath(lowered.problem.path))],
    };
  const foreign = lowered.config.instance_group?.some(
    ({ kind, gpus = [] }) => kind !== "KIND_GPU" && gpus.length > 0,
  );
  return foreign === true
    ? { config: {}, diagnostics: [badField(step, 'only kind: "gpu" may have gpus', ["instanceGroup"])] }
    : { config: lowered.config, diagnostics: [] };
};

/** `{ logits: { labelFilename } }` → `output: [{ name: "logits", labelFilename }]`. */
const tensorFields = (side: "input" | "output", fields: unknown): Fields =>
  fields === undefined
    ? {}
    : { [side]: Object.entries(fields as Fields).map(([name, given]) => ({ name, ...(given as Fields) })) };

/**
 * The configuration with the author's `raw` fragment: its fields replace those of the same name.
 * @param except The DSL's names of fields that a profile says itself, whatever the fragment says.
 */
export const withRaw = (
  step: StepDefinition,
  config: ModelConfig,
  except: readonly string[] = [],
): { readonly config: ModelConfig; readonly diagnostics: readonly Diagnostic[] } => {
  const raw = step.options["raw"];
  if (typeof raw !== "string") return { config, diagnostics: [] };
  const read = parseModelConfig(raw);
  if ("problem" in read) {
    const { line, message } = read.problem;
    return {
      config,
      diagnostics: [badField(step, `raw${line === undefined ? "" : `, line ${line}`}: ${message}`, ["raw"])],
    };
  }
  const { name } = read.config;
  if (name !== undefined && name !== step.name)
    return { config, diagnostics: [badField(step, `raw names the model \`${name}\``, ["raw"])] };
  const fixed = new Set(
    except.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  );
  const kept = Object.entries(read.config).filter(([field]) => !fixed.has(field));
  return { config: { ...config, ...Object.fromEntries(kept) }, diagnostics: [] };
};

const badField = (step: StepDefinition, problem: string, path: OptionPath): Diagnostic =>
  diagnose("model/bad-field", { with: { step: step.name, problem }, labels: writtenAt(step, ...path) });

/** `instanceGroup[0].kind` → `["instanceGroup", "0", "kind"]`. */
const fieldPath = (path: string): OptionPath => path.match(/[^.[\]]+/g) ?? [];
