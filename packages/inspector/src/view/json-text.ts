import { isPropertyName, propertyName } from "@tritype/core";
import type { JsonSchema } from "../api.ts";

/** Deeper values are not compared with the schema. */
const deepest = 200;

/** The start value of a JSON field: a value with the schema's properties. */
export const exampleText = (schema: JsonSchema): string =>
  JSON.stringify(exampleOf(schema, schema) ?? null, null, 2);

/** undefined if only an infinitely nested value has the schema's properties. */
const exampleOf = (schema: JsonSchema, root: JsonSchema, above: readonly string[] = []): unknown => {
  const { $ref, anyOf, type, enum: values } = schema;
  if ($ref !== undefined)
    return above.includes($ref) ? undefined : exampleOf(definition($ref, root), root, [...above, $ref]);
  const inner = (one: JsonSchema): unknown => exampleOf(one, root, above);
  if (values !== undefined) return values[0];
  if (anyOf !== undefined) return anyOf.map(inner).find((one) => one !== undefined);
  if (type === "array") {
    const items = (schema.prefixItems ?? []).map(inner);
    const item = schema.items && inner(schema.items);
    return item === undefined ? items : [...items, item];
  }
  if (type === "object") {
    const entries = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, inner(one)] as const);
    const isEndless = entries.some(
      ([name, one]) => one === undefined && schema.required?.includes(name) === true,
    );
    return isEndless ? undefined : Object.fromEntries(entries.filter(([, one]) => one !== undefined));
  }
  return type === undefined ? {} : scalars[type];
};

const scalars = { string: "", number: 0, boolean: false, null: null };

const definition = ($ref: string, { $defs }: JsonSchema): JsonSchema => $defs?.[nameOf($ref)] ?? {};

const nameOf = ($ref: string): string => $ref.replace("#/$defs/", "");

/** The schema as a TypeScript type: `{ name: string; tags?: string[] }`, with a line for each property of the outermost object and of long ones. */
export const schemaText = ({ $defs = {}, ...outer }: JsonSchema): string => {
  const definitions = Object.entries($defs).map(([name, one]) => `type ${name} = ${typeText(one)}`);
  return [typeText(outer, ""), ...definitions].join("\n");
};

/** A longer type of a property has a line for each of its own properties. */
const longestLine = 56;

/** @param indent The indentation of a type with a line for each property. Default: the type is one line. */
const typeText = (schema: JsonSchema, indent?: string): string => {
  const { $ref, anyOf, type, enum: values, items, prefixItems, properties, required } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return anyOf.map((one) => typeText(one, indent)).join(" | ");
  if (prefixItems !== undefined) return `[${prefixItems.map((one) => typeText(one)).join(", ")}]`;
  if (items !== undefined) {
    const isUnion = items.anyOf !== undefined || (items.enum ?? []).length > 1;
    return isUnion ? `(${typeText(items, indent)})[]` : `${typeText(items, indent)}[]`;
  }
  if (schema.additionalProperties !== undefined)
    return `Record<string, ${typeText(schema.additionalProperties, indent)}>`;
  if (properties === undefined) return type ?? "unknown";
  const inner = indent === undefined ? undefined : `${indent}  `;
  const fields = Object.entries(properties).map(([name, one]) => {
    const line = typeText(one);
    const text = line.length > longestLine ? typeText(one, inner) : line;
    return `${propertyName(name)}${required?.includes(name) === true ? "" : "?"}: ${text}`;
  });
  if (fields.length === 0) return "{}";
  return indent === undefined
    ? `{ ${fields.join("; ")} }`
    : `{\n${fields.map((field) => `${inner}${field};\n`).join("")}${indent}}`;
};

/** The reason why a text is not JSON or does not match the schema, such as `items[2].name must be a string`. */
export const jsonProblem = (text: string, schema: JsonSchema): string | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return text.trim() === "" ? "the text is empty" : `the text is not JSON${reasonOf(error)}`;
  }
  const { path, message } = mismatch(value, schema, schema, []) ?? {};
  return path && `${path.length === 0 ? "the value" : pathText(path)} ${message}`;
};

/** Browsers and Node repeat the text in their messages. */
const reasonOf = (error: unknown): string => {
  const [, place] = / at (?:position|line) .*?(\(line \d+ column \d+\))/.exec(String(error)) ?? [];
  return place === undefined ? "" : ` ${place}`;
};

type Path = readonly (string | number)[];

interface Mismatch {
  readonly path: Path;
  readonly message: string;
}

const mismatch = (value: unknown, schema: JsonSchema, root: JsonSchema, path: Path): Mismatch | undefined => {
  if (path.length > deepest) return undefined;
  const { $ref, anyOf, type, enum: values } = schema;
  if ($ref !== undefined) return mismatch(value, definition($ref, root), root, path);
  const wrong = { path, message: `must be ${wanted(schema)}` };
  if (values !== undefined) return values.includes(value) ? undefined : wrong;
  if (anyOf !== undefined) {
    const found = anyOf.map((one) => mismatch(value, one, root, path));
    if (found.includes(undefined)) return undefined;
    const furthest = found.reduce((a, b) => (b && a && b.path.length > a.path.length ? b : a));
    return furthest === undefined || furthest.path.length === path.length ? wrong : furthest;
  }
  if (type !== undefined && kindOf(value) !== type) return wrong;
  if (Array.isArray(value)) {
    const { prefixItems, items = {} } = schema;
    if (prefixItems !== undefined && prefixItems.length !== value.length) return wrong;
    return first(value, (one, index) => mismatch(one, prefixItems?.[index] ?? items, root, [...path, index]));
  }
  if (type !== "object") return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return { path: [...path, missing], message: "is missing" };
  return first(Object.keys(fields), (name) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return inner && mismatch(fields[name], inner, root, [...path, name]);
  });
};

/** The values that a schema allows, as the end of a sentence. */
const wanted = (schema: JsonSchema): string => {
  const { anyOf, enum: values, type, prefixItems } = schema;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (anyOf !== undefined)
    return anyOf.every(({ properties }) => properties === undefined)
      ? [...new Set(anyOf.map(wanted))].join(" or ")
      : `of type ${typeText(schema)}`;
  if (prefixItems !== undefined) return `an array of ${prefixItems.length} elements`;
  return type === undefined ? typeText(schema) : names[type];
};

const names = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

const pathText = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === "number"
        ? `[${part}]`
        : isPropertyName(part)
          ? `${index === 0 ? "" : "."}${part}`
          : `[${JSON.stringify(part)}]`,
    )
    .join("");

const first = <T>(
  of: readonly T[],
  find: (one: T, index: number) => Mismatch | undefined,
): Mismatch | undefined => {
  for (const [index, one] of of.entries()) {
    const found = find(one, index);
    if (found !== undefined) return found;
  }
  return undefined;
};

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
