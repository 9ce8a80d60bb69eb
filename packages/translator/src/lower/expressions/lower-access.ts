import { properties } from "../../builtins/table.ts";
import type { Element, Expression, Property } from "../../ir/code.ts";
import { isAlways, kindOf } from "../../ir/value-type.ts";
import { pyCall, pyMethod, pyName, pySubscript, pyText } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { groupOf } from "../operators/group.ts";
import { inheritedNames } from "./inherited-names.ts";
import type { Lowering } from "../lowering.ts";

/** `o.name`. */
export const lowerProperty = (lowering: Lowering, property: Property): PyExpression => {
  const { object, name, at } = property;
  const kind = kindOf(object.type);
  const row = properties[`${kind}.${name}`];
  if (row !== undefined) return row.lower(lowering.expression(object));
  if (isPlaceOfPattern(property))
    return lowering.refuse(at, "function/regexp", "`lastIndex`, the position of a pattern", placeOfPattern);
  if (kind !== "record")
    return lowering.refuse(
      at,
      kind === "mixed" ? "function/mixed-kinds" : "function/built-in",
      `\`.${name}\` of \`${object.type.text}\``,
    );
  if (object.type.fields?.has(name) !== true && inheritedNames.has(name))
    return lowering.refuse(
      at,
      "function/inherited-name",
      `\`.${name}\` is inherited by every object`,
      "another name",
    );
  const value = lowering.expression(object);
  const field = object.type.fields?.get(name);
  return field === undefined || field.optional || lowering.lacking.has(name)
    ? pyMethod(value, "get", pyText(name), pyName("undefined"))
    : pySubscript(value, pyText(name));
};

/** Whether the expression is `lastIndex` of a pattern. */
export const isPlaceOfPattern = ({ object, name }: Property): boolean =>
  kindOf(object.type) === "regexp" && name === "lastIndex";
export const placeOfPattern =
  "`matchAll`; or your own position, and a pattern that starts with `^` for `text.slice(at)`";

/** `o[i]`. */
export const lowerElement = (lowering: Lowering, element: Element): PyExpression => {
  const { object, index, at } = element;
  const kind = kindOf(object.type);
  if (kind === "record") return lowerKey(lowering, element);
  if (kind === "match") return lowerGroup(lowering, element);
  if (kind !== "array" && kind !== "string" && kind !== "typed")
    return lowering.refuseAny(
      { type: object.type, at },
      "an element of {type}",
      kind === "map" ? "`.get(k)`" : undefined,
    );
  if (kindOf(index.type) !== "number") return lowering.refuseKind(index, "{type} as a position", "a number");
  const value = lowering.expression(object);
  const position = lowering.expression(index);
  const items = object.type.items?.length ?? 0;
  const known = index.kind === "number" && index.value < items;
  return known || lowering.isProven(object, index)
    ? pySubscript(value, position)
    : pyCall("at", value, position);
};

const lowerGroup = (lowering: Lowering, { object, index, at }: Element): PyExpression => {
  const num = lowering.num(index);
  if (index.kind !== "number" || !isInt(num))
    return lowering.refuse(at, "function/regexp", "a group by a computed number", "a literal number");
  return groupOf(lowering, lowering.expression(object), index.value);
};

/** A property with a computed name, which is checked because JavaScript would also find inherited functions. */
const lowerKey = (lowering: Lowering, element: Element): PyExpression => {
  const { object, index } = element;
  const value = (): PyExpression => lowering.expression(object);
  if (kindOf(index.type) === "number")
    return pyMethod(value(), "get", lowering.text(index), pyName("undefined"));
  const literals = literalsOf(index);
  if (
    literals !== undefined &&
    literals.every((name) => object.type.fields?.get(name)?.optional === false && !lowering.lacking.has(name))
  )
    return pySubscript(value(), lowering.expression(index));
  if (literals !== undefined && literals.every((name) => !inheritedNames.has(name)))
    return pyMethod(value(), "get", lowering.expression(index), pyName("undefined"));
  if (lowering.hasOwn(object, index)) return pySubscript(value(), lowering.expression(index));
  const { named } = element;
  if (named === undefined || !isAlways(index.type, "string"))
    return lowering.refuseAny(index, "{type} as the name of a property", "a string");
  if (named.chained && !named.steady)
    return lowering.refuse(
      element.at,
      "function/inherited-name",
      "a property of a computed object, accessed by a string after `?.`",
      "a `const` that holds the object, or a `Map`",
    );
  lowering.checksName(named, "reads");
  return pyCall("prop", value(), lowering.expression(index));
};

/** The key of a property that is written or created; undefined if it is refused. */
export const keyOf = (
  lowering: Lowering,
  { object, index, named, at }: Element,
  does: "reads" | "writes",
): PyExpression | undefined => {
  const key = (): PyExpression => lowering.expression(index);
  if (kindOf(index.type) === "number") return lowering.text(index);
  if (literalsOf(index)?.every((name) => !inheritedNames.has(name)) === true) return key();
  if (lowering.hasOwn(object, index)) return key();
  if (named === undefined || !isAlways(index.type, "string")) {
    lowering.refuseAny(index, "{type} as the name of a property", "a string");
    return undefined;
  }
  if (does === "reads" && !named.steady) {
    lowering.refuse(
      at,
      "function/inherited-name",
      "a property of a computed object is read and written by a string key",
      "a `const` that holds the object, or a `Map`",
    );
    return undefined;
  }
  lowering.checksName(named, does);
  return does === "reads"
    ? pyCall("own_name", lowering.expression(object), key())
    : pyCall("new_name", key());
};

/** The possible strings of an expression, if its type lists them all. */
const literalsOf = (index: Expression): readonly string[] | undefined => {
  if (index.kind === "text") return [index.value];
  const { literal, literals } = index.type;
  if (typeof literal === "string") return [literal];
  return literals;
};
