import type { Diagnostic, Label, StepDefinition } from "@tritype/core";
import { lowerModelFields, type ModelConfig, parseModelConfig } from "@tritype/triton";
import { writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { authorFields, labelsAt, type PlaceOf } from "./field-places.ts";

type Fields = Readonly<Record<string, unknown>>;
export interface AuthorConfig {
  readonly config: Partial<ModelConfig>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The user's settings for the model's configuration, with Triton's names; `defaults` fill in missing fields. A null, which a profile may
 * contain, removes a field. @param placeOf The position at which a field is written.
 */
export const authorConfig = (step: StepDefinition, placeOf: PlaceOf, defaults: Fields = {}): AuthorConfig => {
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
      diagnostics: [
        badField(step, lowered.problem.message, problemLabels(step, lowered.problem.path, placeOf)),
      ],
    };
  const foreign = lowered.config.instance_group?.some(
    ({ kind, gpus = [] }) => kind !== "KIND_GPU" && gpus.length > 0,
  );
  return foreign === true
    ? {
        config: {},
        diagnostics: [
          badField(step, 'only kind: "gpu" may have gpus', labelsAt(step, placeOf(["instance_group"]))),
        ],
      }
    : { config: lowered.config, diagnostics: [] };
};

/** `{ logits: { labelFilename } }` → `output: [{ name: "logits", labelFilename }]`. */
const tensorFields = (side: "input" | "output", fields: unknown): Fields =>
  fields === undefined
    ? {}
    : { [side]: Object.entries(fields as Fields).map(([name, given]) => ({ name, ...(given as Fields) })) };

/**
 * The configuration with the author's `raw` fragment, whose fields replace those with the same name. @param except The DSL's names for
 * fields that a profile sets itself; these take precedence over the fragment.
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
      diagnostics: [
        badField(
          step,
          `raw${line === undefined ? "" : `, line ${line}`}: ${message}`,
          writtenAt(step, "raw"),
        ),
      ],
    };
  }
  const { name } = read.config;
  if (name !== undefined && name !== step.name)
    return {
      config,
      diagnostics: [badField(step, `raw names the model \`${name}\``, writtenAt(step, "raw"))],
    };
  const fixed = new Set(
    except.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  );
  const kept = Object.entries(read.config).filter(([field]) => !fixed.has(field));
  return { config: { ...config, ...Object.fromEntries(kept) }, diagnostics: [] };
};

const badField = (step: StepDefinition, problem: string, labels: readonly Label[]): Diagnostic =>
  diagnose("model/bad-field", { with: { step: step.name, problem }, labels });

/** The position of `instanceGroup[0].kind`, or of `input[0].reshape`, which is in `inputFields`. */
const problemLabels = (step: StepDefinition, problem: string, placeOf: PlaceOf): readonly Label[] => {
  const path = problem.match(/[^.[\]]+/g) ?? [];
  const [field, index, ...rest] = path;
  if (field !== "input" && field !== "output") return labelsAt(step, placeOf(path));
  const option = `${field}Fields`;
  const tensor = Object.keys(step.options[option] ?? {})[Number(index)];
  return writtenAt(step, option, ...(tensor === undefined ? [] : [tensor, ...rest]));
};
