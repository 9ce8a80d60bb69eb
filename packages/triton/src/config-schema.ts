import protobuf from "protobufjs/light.js";
import { modelConfigDescriptor } from "./generated/model-config-descriptor.ts";

/** The type of a field's value: a scalar, an identifier of an enum, or a message. */
export type ValueSchema =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "enum"; readonly name: string; readonly numbers: ReadonlyMap<string, number> }
  | { readonly kind: "message"; readonly message: MessageSchema };
export type Scalar = "bool" | "string" | "float" | "double" | "int32" | "uint32" | "int64" | "uint64";

export interface FieldSchema {
  /** The name in the proto: `max_batch_size`. */
  readonly name: string;
  readonly value: ValueSchema;
  /** One value, a list of values, or a map from scalar keys to values. */
  readonly shape: "single" | "list" | "map";
  /** The key type of a map. */
  readonly keyScalar: Scalar | undefined;
  /** The oneof that it belongs to: at most one member is present. */
  readonly oneof: string | undefined;
}

export interface MessageSchema {
  /** The name without the package: `ModelInstanceGroup`, `ModelSequenceBatching.Control`. */
  readonly name: string;
  /** The fields in the order of the proto. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

const schemas = new Map<protobuf.Type, MessageSchema>();

const schemaOf = (type: protobuf.Type): MessageSchema => {
  const known = schemas.get(type);
  if (known) return known;
  const fields = new Map<string, FieldSchema>();
  const schema: MessageSchema = { name: type.fullName.replace(".inference.", ""), fields };
  schemas.set(type, schema);
  for (const field of type.fieldsArray) fields.set(field.name, fieldSchema(field));
  return schema;
};

const fieldSchema = (field: protobuf.Field): FieldSchema => ({
  name: field.name,
  value: valueSchema(field),
  shape: field.map ? "map" : field.repeated ? "list" : "single",
  keyScalar: field instanceof protobuf.MapField ? (field.keyType as Scalar) : undefined,
  oneof: field.partOf?.name,
});

const valueSchema = (field: protobuf.Field): ValueSchema => {
  const type = field.resolvedType;
  if (type instanceof protobuf.Type) return { kind: "message", message: schemaOf(type) };
  if (type instanceof protobuf.Enum) {
    return { kind: "enum", name: type.name, numbers: new Map(Object.entries(type.values)) };
  }
  return { kind: "scalar", scalar: field.type as Scalar };
};

/** `inference.ModelConfig` with all nested messages. */
export const modelConfigSchema: MessageSchema = schemaOf(
  protobuf.Root.fromJSON(modelConfigDescriptor).resolveAll().lookupType("inference.ModelConfig"),
);

/** A message with these fields, in the proto's order. */
export const inOrder = (schema: MessageSchema, found: ReadonlyMap<FieldSchema, unknown>): object =>
  Object.fromEntries(
    [...schema.fields.values()].flatMap((field) =>
      found.has(field) ? [[field.name, found.get(field)]] : [],
    ),
  );

/** Whether a scalar is an integer of 32 or 64 bits. */
export const isInteger = (scalar: Scalar): boolean => scalar.includes("int");

/** The value of an integer field: fields for versions keep integers beyond 2^53 exact, others round them. */
export const integerOf = (field: string, value: bigint): number | bigint =>
  versionFields.has(field) && BigInt(Number(value)) !== value ? value : Number(value);

/** scripts/make-descriptor.py reads this list too. */
export const versionFields: ReadonlySet<string> = new Set(["versions", "model_version"]);

/** Whether a number is an integer in range; 2^63 and 2^64 represent the largest 64-bit integers. */
export const isInRange = (scalar: Scalar, value: number): boolean => {
  const unsigned = scalar.startsWith("u");
  const bits = scalar.endsWith("64") ? 64 : 32;
  const limit = 2 ** (unsigned ? bits : bits - 1);
  return (
    Number.isInteger(value) &&
    value >= (unsigned ? 0 : -limit) &&
    (bits === 64 ? value <= limit : value < limit)
  );
};

/** The meaning of an absent field; undefined if absence has its own meaning: messages and members of a oneof. */
export const defaultOf = (field: FieldSchema): unknown => {
  if (field.shape !== "single") return field.shape === "list" ? [] : {};
  return field.oneof !== undefined || field.value.kind === "message" ? undefined : valueDefault(field.value);
};

/** The value of a map's entry that does not set one. */
export const valueDefault = (schema: ValueSchema): unknown => {
  if (schema.kind === "message") return {};
  return schema.kind === "enum" ? schema.numbers.keys().next().value : scalarDefault(schema.scalar);
};

export const scalarDefault = (scalar: Scalar): string | boolean | number =>
  scalar === "string" ? "" : scalar === "bool" ? false : 0;
