import { type MessageSchema, modelConfigSchema } from "./config-schema.ts";

/** A message of the configuration, as messages to people need it. */
export interface ConfigMessage {
  /** In the order of the proto. */
  readonly fields: readonly string[];
  /** Identifiers of the fields that are enums. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** A message by its name without the package, such as `ModelInput` or `ModelSequenceBatching.Control`. */
export const configMessage = (name: string): ConfigMessage | undefined => all().get(name);

let known: ReadonlyMap<string, ConfigMessage> | undefined;
const all = (): ReadonlyMap<string, ConfigMessage> => (known ??= collect(modelConfigSchema, new Map()));

const collect = (schema: MessageSchema, found: Map<string, ConfigMessage>): Map<string, ConfigMessage> => {
  if (found.has(schema.name)) return found;
  const fields = [...schema.fields.values()];
  const enums = fields.flatMap(({ name, value }) =>
    value.kind === "enum" ? [[name, [...value.numbers.keys()]] as const] : [],
  );
  found.set(schema.name, { fields: fields.map(({ name }) => name), enums: new Map(enums) });
  for (const { value } of fields) if (value.kind === "message") collect(value.message, found);
  return found;
};
