import { type MessageSchema, modelConfigSchema } from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";
import type { FieldPath } from "./locate-fields.ts";

/**
 * Fields added by releases after 24.01, with the first container that knows them; older ones fail to parse a
 * config with such a field. Source: `model_config.proto` on the release branches of Triton's `common` repository.
 */
export const newFields: ReadonlyMap<string, string> = new Map([
  ["ModelInput.is_non_linear_format_io", "24.08"],
  ["ModelOutput.is_non_linear_format_io", "24.08"],
  ["ModelConfig.model_metrics", "24.11"],
  ["ModelEnsembling.max_inflight_requests", "25.11"],
]);

/** A field that a release does not know yet. */
export interface NewerField {
  readonly path: FieldPath;
  /** The message's name without the package: `ModelInput`. */
  readonly message: string;
  readonly field: string;
  /** The first container that knows it. */
  readonly since: string;
}

/** The fields of a config that a container, such as `"24.10"`, refuses as unknown. */
export const newerFields = (config: ModelConfig, container: string): readonly NewerField[] => [
  ...newerIn(modelConfigSchema, config, container, []),
];

function* newerIn(
  schema: MessageSchema,
  message: object,
  container: string,
  path: FieldPath,
): Generator<NewerField> {
  for (const [name, value] of Object.entries(message) as [string, unknown][]) {
    const field = schema.fields.get(name);
    if (field === undefined) continue;
    const at = [...path, name];
    const since = newFields.get(`${schema.name}.${name}`);
    if (since !== undefined && since > container)
      yield { path: at, message: schema.name, field: name, since };
    if (field.value.kind !== "message") continue;
    const items: readonly (readonly [FieldPath, unknown])[] =
      field.shape === "single"
        ? [[at, value]]
        : Object.entries(value as object).map(([key, item]: [string, unknown]) => [
            [...at, field.shape === "list" ? Number(key) : key],
            item,
          ]);
    for (const [inner, item] of items) yield* newerIn(field.value.message, item as object, container, inner);
  }
}
