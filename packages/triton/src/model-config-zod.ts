import { z } from "zod";
import {
  exclusiveFields,
  type FieldSchema,
  isInRange,
  isInteger,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  type ValueSchema,
} from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";

const messages = new Map<MessageSchema, z.ZodType>();

const messageZod = (schema: MessageSchema): z.ZodType => {
  const known = messages.get(schema);
  if (known) return known;
  const fields = [...schema.fields.values()];
  const shape = Object.fromEntries(fields.map((field) => [field.name, fieldZod(field).optional()]));
  const made = z.strictObject(shape).check(({ value, issues }) => {
    const [one, other] = exclusiveFields(fields.filter(({ name }) => value[name] !== undefined)) ?? [];
    if (one === undefined || other === undefined) return;
    const message = `${one.name} and ${other.name} are mutually exclusive`;
    issues.push({ code: "custom", input: value, path: [other.name], message });
  });
  messages.set(schema, made);
  return made;
};

const fieldZod = (field: FieldSchema): z.ZodType => {
  const value = valueZod(field.value);
  if (field.shape === "list") return z.array(value);
  return field.shape === "map" ? z.record(z.string(), value) : value;
};

const valueZod = (schema: ValueSchema): z.ZodType => {
  if (schema.kind === "message") return messageZod(schema.message);
  if (schema.kind === "scalar") return scalarZod(schema.scalar);
  // Triton also loads numbers without a name.
  return z.union([z.enum([...schema.numbers.keys()]), z.int32()]);
};

const scalarZod = (scalar: Scalar): z.ZodType => {
  if (scalar === "string") return z.string();
  if (scalar === "bool") return z.boolean();
  return z.custom<number>(
    (value) => typeof value === "number" && (!isInteger(scalar) || isInRange(scalar, value)),
    `expected ${scalar}`,
  );
};

/**
 * Accepts a {@link ModelConfig}: every field of the newest release and no other, by the proto's names and types. It
 * adds no defaults; an enum is an identifier or any 32-bit number, as in the text format. Built at its first use.
 */
export const modelConfigZod: z.ZodType<ModelConfig> = z.lazy(
  () => messageZod(modelConfigSchema) as z.ZodType<ModelConfig>,
);
