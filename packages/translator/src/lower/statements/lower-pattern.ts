import { properties } from "../../builtins/table.ts";
import type { Pattern, PatternPart } from "../../ir/code.ts";
import { kindOf, type ValueType } from "../../ir/value-type.ts";
import type { Variable } from "../../ir/variable.ts";
import {
  isSimple,
  pyAssign,
  pyBinary,
  pyCall,
  pyDictComprehension,
  pyIf,
  pyInt,
  pyMethod,
  pyName,
  pySlice,
  pySubscript,
  pyText,
  pyTuple,
  pyVariable,
} from "../../python/build.ts";
import type { PyClause, PyExpression, PyStatement } from "../../python/syntax.ts";
import { groupOf } from "../operators/group.ts";
import { isConverted, lowerTarget } from "./lower-assign.ts";
import type { LoweringState } from "../lowering-state.ts";

/** Binds a pattern to a lowered value. */
export const lowerPattern = (
  lowering: LoweringState,
  pattern: Pattern,
  value: PyExpression,
  type: ValueType,
): readonly PyStatement[] => {
  if (pattern.kind === "bind")
    return [pyAssign(pyVariable(pattern.variable), converted(lowering, pattern.variable, value))];
  if (pattern.kind === "place") {
    const { target } = pattern;
    const made = target.kind === "variable" ? converted(lowering, target.variable, value) : value;
    return lowerTarget(lowering, target, made);
  }
  const target = tupleOf(lowering, pattern, type);
  if (target !== undefined) return [pyAssign(target, value)];
  if (!isSimple(value)) {
    const held = lowering.temporary("t_", type);
    return [pyAssign(pyVariable(held), value), ...lowerPattern(lowering, pattern, pyVariable(held), type)];
  }
  return pattern.kind === "items"
    ? bindItems(lowering, pattern, value, type)
    : bindFields(lowering, pattern, value, type);
};

/** The value, converted to a float if the variable is a float. */
const converted = (lowering: LoweringState, variable: Variable, value: PyExpression): PyExpression =>
  isConverted(lowering, variable) ? pyCall("float", value) : value;

/** A Python target for a pattern such as `[a, b]`, if the value is a tuple of the same length. */
const tupleOf = (lowering: LoweringState, pattern: Pattern, type: ValueType): PyExpression | undefined => {
  if (pattern.kind !== "items" || pattern.rest !== undefined || pattern.items.length < 2) return undefined;
  if (type.items?.length !== pattern.items.length) return undefined;
  const parts = pattern.items.map((part) =>
    part?.pattern.kind === "bind" &&
    part.fallback === undefined &&
    !isConverted(lowering, part.pattern.variable)
      ? pyVariable(part.pattern.variable)
      : undefined,
  );
  return parts.every((part) => part !== undefined) ? pyTuple(parts) : undefined;
};

const bindItems = (
  lowering: LoweringState,
  pattern: Pattern & { readonly kind: "items" },
  value: PyExpression,
  type: ValueType,
): readonly PyStatement[] => {
  const kind = kindOf(type);
  if (kind === "string" || kind === "iterator" || kind === "map" || kind === "set") {
    const held = lowering.temporary("t_", type);
    const list = pyCall(
      "list",
      kind === "string" ? pyCall("points", value) : kind === "map" ? pyMethod(value, "items") : value,
    );
    const { element } = type;
    const items: ValueType = { ...type, kinds: ["array"], element };
    return [pyAssign(pyVariable(held), list), ...bindItems(lowering, pattern, pyVariable(held), items)];
  }
  if (kind !== "array" && kind !== "typed" && kind !== "match") {
    lowering.refuseAny({ type, at: pattern.at }, "an array pattern for {type}");
    return [];
  }
  const known = type.items?.length ?? 0;
  const parts = pattern.items.flatMap((part, at) => {
    if (part === undefined) return [];
    const item =
      kind === "match"
        ? groupOf(lowering, value, at)
        : at < known
          ? pySubscript(value, pyInt(at))
          : pyCall("at", value, pyInt(at));
    return bindPart(lowering, part, item);
  });
  const { rest } = pattern;
  if (rest === undefined) return parts;
  return [...parts, ...lowerPattern(lowering, rest, pySlice(value, pyInt(pattern.items.length)), type)];
};

const bindFields = (
  lowering: LoweringState,
  pattern: Pattern & { readonly kind: "fields" },
  value: PyExpression,
  type: ValueType,
): readonly PyStatement[] => {
  const rows = pattern.fields.map(({ name }) => properties[`${kindOf(type)}.${name}`]);
  if (pattern.rest === undefined && rows.every((row) => row !== undefined))
    return pattern.fields.flatMap((part, at) => bindPart(lowering, part, rows[at]?.lower(value) ?? value));
  if (kindOf(type) !== "record") {
    lowering.refuseAny({ type, at: pattern.at }, "an object pattern for {type}", "its properties one by one");
    return [];
  }
  const parts = pattern.fields.flatMap((part) => {
    const surely = type.fields?.get(part.name)?.optional === false && !lowering.lacking.has(part.name);
    const item = surely
      ? pySubscript(value, pyText(part.name))
      : pyMethod(value, "get", pyText(part.name), pyName("undefined"));
    return bindPart(lowering, part, item);
  });
  const { rest } = pattern;
  if (rest === undefined) return parts;
  const key = lowering.temporary("k", type);
  const item = lowering.temporary("v", type);
  const clause: PyClause = {
    target: pyTuple([pyVariable(key), pyVariable(item)]),
    iterable: pyMethod(value, "items"),
    test: pyBinary("not in", pyVariable(key), pyTuple(pattern.fields.map(({ name }) => pyText(name)))),
  };
  const others = pyDictComprehension(pyVariable(key), pyVariable(item), clause);
  return [...parts, ...lowerPattern(lowering, rest, others, type)];
};

/** Binds a part of a pattern, or its fallback if the part is undefined. */
const bindPart = (
  lowering: LoweringState,
  { pattern, fallback, type }: PatternPart,
  item: PyExpression,
): readonly PyStatement[] => {
  if (fallback === undefined)
    return lowerPattern(lowering, pattern, item, {
      ...type,
      undefined: pattern.kind !== "bind" ? false : type.undefined,
    });
  const value = lowering.hold(item, type, (first, again) =>
    pyIf(pyBinary("is not", first, pyName("undefined")), again, lowering.expression(fallback)),
  );
  return lowerPattern(lowering, pattern, value, { ...type, undefined: false });
};
