import { type Kind, partsOf, type ValueType } from "../ir/value-type.ts";
import type { NamedShapes, Shape } from "../json/shape.ts";

/** Facts that hold for all records that the code creates. */
export interface KnownRecords {
  readonly isIntField: (name: string) => boolean;
}

/**
 * The JSON shape of a type, and of the recursive types in it; undefined if a part has no JSON form.
 *
 * @param known Passed for values that the code itself creates.
 */
export const jsonShapeOf = (
  type: ValueType,
  known?: KnownRecords,
): { readonly shape: Shape; readonly named: NamedShapes } | undefined => {
  const named: Record<string, Shape> = {};
  const names = new Map<ValueType, string>();
  const open = new Set<ValueType>();
  let fails = false;
  const shapeOf = (of: ValueType, isOptional = false): Shape => {
    if (open.has(of)) {
      const name = names.get(of) ?? `T${names.size + 1}`;
      names.set(of, name);
      return { kind: "named", name };
    }
    if (of.members > 1 && of.variants === undefined) fails = true;
    open.add(of);
    const parts: Shape[] = of.kinds.flatMap((kind) => {
      const several = of.variants?.filter(({ kinds }) => kinds.includes(kind)) ?? [];
      return several.length > 1 ? several.map((one) => shapeOf(one)) : [shapeOfKind(kind, several[0] ?? of)];
    });
    if (of.null) parts.push({ kind: "null" });
    if (of.undefined && !isOptional) parts.push({ kind: "undefined" });
    open.delete(of);
    const [only, ...more] = parts;
    const shape: Shape = only !== undefined && more.length === 0 ? only : { kind: "union", of: parts };
    const name = names.get(of);
    if (name === undefined) return shape;
    named[name] = shape;
    return { kind: "named", name };
  };
  const shapeOfKind = (kind: Kind, of: ValueType): Shape => {
    if (kind === "string" && of.literals !== undefined)
      return oneOf(of.literals.map((value) => ({ kind: "literal", value })));
    if (kind === "string" || kind === "boolean" || kind === "number") return { kind };
    if (kind === "array" && of.items !== undefined)
      return { kind: "tuple", items: of.items.map((item) => shapeOf(item)) };
    if (kind === "array" && of.element !== undefined) return { kind: "array", items: shapeOf(of.element) };
    if (kind === "record" && of.index !== undefined) return { kind: "dictionary", values: shapeOf(of.index) };
    if (kind === "record")
      return {
        kind: "record",
        properties: [...(of.fields ?? [])].map(([name, { type: inner, optional }]) => ({
          name,
          shape: withInts(shapeOf(inner, optional), known?.isIntField(name) === true),
          ...(optional ? { optional } : {}),
        })),
      };
    fails = true;
    return { kind: "null" };
  };
  const shape = shapeOf(type);
  return fails ? undefined : { shape, named };
};

const oneOf = (of: readonly Shape[]): Shape => {
  const [only, ...more] = of;
  return only !== undefined && more.length === 0 ? only : { kind: "union", of };
};

const withInts = (shape: Shape, integer: boolean): Shape => {
  if (!integer) return shape;
  if (shape.kind === "number") return { ...shape, integer };
  return shape.kind === "union"
    ? { ...shape, of: shape.of.map((option) => withInts(option, integer)) }
    : shape;
};

/** The innermost part of a type that JSON cannot represent. */
export const partWithoutJson = (
  type: ValueType,
  seen: Set<ValueType> = new Set<ValueType>(),
): ValueType | undefined => {
  if (seen.has(type)) return undefined;
  seen.add(type);
  for (const part of partsOf(type)) {
    const found = partWithoutJson(part, seen);
    if (found !== undefined) return found;
  }
  return jsonShapeOf({ ...type, undefined: false }) === undefined ? type : undefined;
};
