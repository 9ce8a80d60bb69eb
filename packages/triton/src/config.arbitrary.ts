import * as fc from "fast-check";
import {
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  type Scalar,
  type ValueSchema,
  versionFields,
} from "./config-schema.ts";
import type { ModelConfig } from "./generated/model-config.ts";

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom("__proto__", "#", '"\\', "\n\u0000"),
);

const scalars: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  string: text,
  // Six digits: they survive a round trip through a 32-bit float.
  float: fc.oneof(
    fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 1000),
    fc.constantFrom(Infinity, -Infinity, NaN, 1e-9, 1e21),
  ),
  double: fc.double(),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  uint32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  int64: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(2 ** 63, -(2 ** 63))),
  uint64: fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(2 ** 64)),
};

const valueArbitrary = (schema: ValueSchema, depth: number): fc.Arbitrary<unknown> => {
  if (schema.kind === "message") return messageArbitrary(schema.message, depth + 1);
  return schema.kind === "enum" ? fc.constantFrom(...schema.numbers.keys()) : scalars[schema.scalar];
};

const fieldArbitrary = (field: FieldSchema, depth: number): fc.Arbitrary<unknown> => {
  // The conversion from the DSL rounds versions beyond 2^53.
  const value = versionFields.has(field.name) ? fc.maxSafeInteger() : valueArbitrary(field.value, depth);
  if (field.shape === "single") return value;
  if (field.shape === "list") return fc.array(value, { minLength: 1, maxLength: 3 });
  const key = field.keyScalar === "string" ? text : fc.nat().map(String);
  return fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 3 }).map(Object.fromEntries);
};

const messageArbitrary = (schema: MessageSchema, depth: number): fc.Arbitrary<object> =>
  fc
    .shuffledSubarray([...schema.fields.values()], {
      maxLength: Math.min(schema.fields.size, depth === 0 ? 8 : 4),
    })
    .chain((fields) => {
      const oneofs = new Map<string | undefined, FieldSchema>(fields.map((field) => [field.oneof, field]));
      const kept = fields.filter((field) => field.oneof === undefined || oneofs.get(field.oneof) === field);
      return fc.record(Object.fromEntries(kept.map((field) => [field.name, fieldArbitrary(field, depth)])), {
        noNullPrototype: true,
      });
    });

/** Any config that the proto allows, without empty lists and maps. */
export const modelConfigArbitrary: fc.Arbitrary<ModelConfig> = messageArbitrary(modelConfigSchema, 0);
