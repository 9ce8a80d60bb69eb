import type { Json } from "@tritype/core";
import type { JsonShape, Shape } from "@tritype/translator";

type Schema = Readonly<Record<string, Json>>;

/** The JSON Schema (2020-12) of a TypeScript type's JSON form. */
export const jsonSchemaOf = ({ shape, named }: JsonShape): Schema => {
  const definitions = Object.entries(named).map(([name, of]) => [name, schemaOf(of)] as const);
  return definitions.length === 0
    ? schemaOf(shape)
    : { ...schemaOf(shape), $defs: Object.fromEntries(definitions) };
};

const schemaOf = (shape: Shape): Schema => {
  switch (shape.kind) {
    case "undefined":
      return {};
    case "literal":
      return { enum: [shape.value] };
    case "array":
      return { type: "array", items: schemaOf(shape.items) };
    case "tuple": {
      const { length } = shape.items;
      return { type: "array", prefixItems: shape.items.map(schemaOf), minItems: length, maxItems: length };
    }
    case "dictionary":
      return { type: "object", additionalProperties: schemaOf(shape.values) };
    case "named":
      return { $ref: `#/$defs/${shape.name}` };
    case "union":
      return unionOf(shape.of.filter(({ kind }) => kind !== "undefined"));
    case "record": {
      const { properties } = shape;
      return {
        type: "object",
        properties: Object.fromEntries(properties.map(({ name, shape: of }) => [name, schemaOf(of)])),
        required: properties.flatMap(({ name, shape: of, optional }) =>
          optional === true || mayBeMissing(of) ? [] : [name],
        ),
      };
    }
    default:
      return { type: shape.kind };
  }
};

const unionOf = (of: readonly Shape[]): Schema => {
  const values = of.flatMap((one) => (one.kind === "literal" ? [one.value] : []));
  const [first, ...others] = of;
  if (first !== undefined && others.length === 0) return schemaOf(first);
  return values.length === of.length ? { enum: values } : { anyOf: of.map(schemaOf) };
};

const mayBeMissing = (shape: Shape): boolean =>
  (shape.kind === "union" ? shape.of : [shape]).some(({ kind }) => kind === "undefined");
