import { type FieldSchema, type MessageSchema, modelConfigSchema } from "./config-schema.ts";

/** A protobuf message of the configuration, with the facts that errors for users need. */
export interface ConfigMessage {
  /** The fields in the order of the proto. */
  readonly fields: readonly string[];
  /** Identifiers of the fields that are enums. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** A message by its name without the package, such as `ModelInput` or `ModelSequenceBatching.Control`. */
export const configMessage = (name: string): ConfigMessage | undefined => all().get(name);

/**
 * The paths to fields of this name in the configuration, shallowest first: `""` is the top level, others are fields
 * joined by dots (`optimization.execution_accelerators`). The fields of a map's entries are below its `value`.
 */
export const fieldPlaces = (field: string): readonly string[] => places().get(field) ?? [];

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

let placed: ReadonlyMap<string, readonly string[]> | undefined;
const places = (): ReadonlyMap<string, readonly string[]> => (placed ??= collectPlaces());

const collectPlaces = (): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  let level: readonly (readonly [path: string, schema: MessageSchema])[] = [["", modelConfigSchema]];
  while (level.length > 0) {
    for (const [path, { fields }] of level)
      for (const name of fields.keys()) found.set(name, [...(found.get(name) ?? []), path]);
    level = level.flatMap(([path, { fields }]) =>
      [...fields.values()].flatMap((field) =>
        field.value.kind === "message" ? [[pathInto(path, field), field.value.message] as const] : [],
      ),
    );
  }
  return found;
};

const pathInto = (path: string, { name, shape }: FieldSchema): string =>
  `${path === "" ? "" : `${path}.`}${name}${shape === "map" ? ".value" : ""}`;
