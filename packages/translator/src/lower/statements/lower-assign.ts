import type { Arithmetic, Expression, Pattern, Statement } from "../../ir/code.ts";
import { isAlways, isMissing, kindOf } from "../../ir/value-type.ts";
import type { Variable } from "../../ir/variable.ts";
import {
  isSimple,
  pyAssign,
  pyBinary,
  pyCall,
  pyDo,
  pyFloat,
  pyInt,
  pyMethod,
  pyName,
  pyRun,
  pySubscript,
  pyText,
  pyTuple,
  pyVariable,
  pyWhen,
} from "../../python/build.ts";
import type { PyArithmetic, PyExpression, PyStatement } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { typedElement } from "../../builtins/typed-element.ts";
import { hasEffect } from "../../ir/effects.ts";
import { changesAnything, mayInterfere } from "./changes.ts";
import { isPlaceOfPattern, keyOf, placeOfPattern } from "../expressions/lower-access.ts";
import { lowerArithmetic } from "../operators/lower-binary.ts";
import { truthTest } from "../operators/lower-truth.ts";
import type { Lowering } from "../lowering.ts";
import { missingTest } from "../operators/missing.ts";
import type { LoweringState } from "../lowering-state.ts";
import { operand } from "../operators/operand.ts";

type Assign = Statement["does"] & { readonly kind: "assign" };

/** A value as stored in a variable, which may convert it to a float. */
export const written = (lowering: Lowering, variable: Variable, value: Expression): PyExpression =>
  isConverted(lowering, variable) ? lowering.float(value) : lowering.expression(value);

/** Whether values are converted to floats when they are written to a variable. */
export const isConverted = (lowering: Lowering, variable: Variable): boolean =>
  variable.kind === "let" &&
  isAlways(variable.type, "number") &&
  lowering.numOfVariable(variable).kind === "float";

/** `target = value`, `target += value` and the like. */
export const lowerAssign = (
  lowering: LoweringState,
  { target, operator, value }: Assign,
): readonly PyStatement[] => {
  if (target.kind !== "place") {
    const swapped = lowerSwap(lowering, target, value);
    return swapped ?? lowering.bind(target, lowering.expression(value), value.type);
  }
  const place = steady(lowering, target.target, value, operator !== undefined);
  if (operator === undefined) {
    const made = place.kind === "variable" ? written(lowering, place.variable, value) : undefined;
    return made === undefined ? ordered(lowering, place, value) : lowerTarget(lowering, place, made);
  }
  if (operator === "??" || operator === "||" || operator === "&&")
    return assignIf(lowering, place, operator, value);
  return update(lowering, place, operator, value);
};

/**
 * Makes the target independent of the order of evaluation: before the value in JavaScript, after it in Python. `isRead`: whether the
 * target is also read, as in `+=`.
 */
const steady = (
  lowering: LoweringState,
  place: Expression,
  value: Expression | undefined,
  isRead: boolean,
): Expression => {
  if (place.kind !== "element" && place.kind !== "property") return place;
  const known = { flows: lowering.numbers.flows, origins: lowering.origins };
  const parts = place.kind === "element" ? [place.object, place.index] : [place.object];
  if (value !== undefined && parts.some((part) => mayInterfere(value, part, known)))
    lowering.refuse(
      value.at,
      "function/effect-in-expression",
      "the value and the target of the assignment may change what the other one reads",
    );
  // Python evaluates a target twice that is also read.
  const isHeld = (part: Expression): boolean => (isRead || hasEffect(part)) && changesAnything(part, known);
  if (!parts.some(isHeld)) return place;
  if (place.kind === "property" || isHeld(place.object)) {
    lowering.refuse(place.at, "function/effect-in-expression", "the target changes while it is evaluated");
    return place;
  }
  const held = lowering.temporary("at_", place.index.type);
  lowering.before(pyAssign(pyVariable(held), lowering.expression(place.index)));
  const { type, at } = place.index;
  return { ...place, index: { kind: "variable", variable: held, type, at } };
};

/** Lowers the value before the target, in the order in which Python evaluates them. */
const ordered = (lowering: LoweringState, place: Expression, value: Expression): readonly PyStatement[] => {
  const made = lowering.expression(value);
  return lowerTarget(lowering, place, made);
};

/** `[a, b] = [b, a]`. */
export const lowerSwap = (
  lowering: LoweringState,
  target: Assign["target"],
  value: Expression,
): readonly PyStatement[] | undefined => {
  if (target.kind !== "items" || target.rest !== undefined || value.kind !== "list") return undefined;
  const places = target.items.map((part) =>
    part === undefined || part.fallback !== undefined ? undefined : placeOf(part.pattern),
  );
  if (places.length !== value.items.length || value.items.some(({ spread }) => spread)) return undefined;
  if (!places.every((place) => place !== undefined)) return undefined;
  const values = value.items.map(({ value: item }, at) => {
    const place = places[at];
    return place?.kind === "variable" ? written(lowering, place.variable, item) : lowering.expression(item);
  });
  if (places.every((place) => place.kind === "variable"))
    return [pyAssign(pyTuple(places.map((place) => lowering.expression(place))), pyTuple(values))];
  const held = places.map((place) => lowering.temporary("t_", place.type));
  return [
    pyAssign(pyTuple(held.map(pyVariable)), pyTuple(values)),
    ...places.flatMap((place, at) => {
      const variable = held[at];
      return variable === undefined ? [] : lowerTarget(lowering, place, pyVariable(variable));
    }),
  ];
};

const placeOf = (pattern: Pattern): Expression | undefined => {
  if (pattern.kind === "place") return pattern.target;
  if (pattern.kind !== "bind") return undefined;
  return { kind: "variable", variable: pattern.variable, type: pattern.variable.type, at: pattern.at };
};

/** Writes a lowered value to a target. `reads`: the target has been read before, as in `+=`. */
export const lowerTarget = (
  lowering: Lowering,
  place: Expression,
  value: PyExpression,
  reads = false,
): readonly PyStatement[] => {
  switch (place.kind) {
    case "variable":
      if (place.variable.kind === "module") {
        lowering.refuse(
          place.at,
          "function/module-variable",
          `the module's variable \`${place.variable.name}\` is assigned a new value`,
        );
        return [];
      }
      return [pyAssign(lowering.expression(place), value)];
    case "property":
      if (kindOf(place.object.type) !== "record" || place.name === "__proto__") {
        lowering.refuse(
          place.at,
          isPlaceOfPattern(place) ? "function/regexp" : "function/syntax",
          `an assignment to \`.${place.name}\` of \`${place.object.type.text}\``,
          isPlaceOfPattern(place)
            ? placeOfPattern
            : place.name === "length"
              ? "`slice`, or a new array"
              : undefined,
        );
        return [];
      }
      return [pyAssign(pySubscript(lowering.expression(place.object), pyText(place.name)), value)];
    case "element":
      return lowerElementTarget(lowering, place, value, reads);
    case "refused":
      return [];
    default:
      lowering.refuse(place.at, "function/syntax", "an assignment to this expression");
      return [];
  }
};

const lowerElementTarget = (
  lowering: Lowering,
  place: Expression & { readonly kind: "element" },
  value: PyExpression,
  reads: boolean,
): readonly PyStatement[] => {
  const { object, index, at } = place;
  const kind = kindOf(object.type);
  if (kind === "array") {
    const [list, position] = [lowering.expression(object), lowering.expression(index)];
    if (lowering.isProven(object, index)) return [pyAssign(pySubscript(list, position), value)];
    return [pyRun(pyCall("put", list, position, value))];
  }
  if (kind === "typed") return lowerTypedTarget(lowering, place, value);
  if (kind === "record") {
    const key = keyOf(lowering, place, reads ? "reads" : "writes");
    return key === undefined ? [] : [pyAssign(pySubscript(lowering.expression(object), key), value)];
  }
  lowering.refuse(
    at,
    kind === "unknown" ? "function/any" : "function/syntax",
    `an assignment to an element of \`${object.type.text}\``,
    undefined,
    { of: object.type },
  );
  return [];
};

/** Writes to a typed array, which rounds the value and ignores writes beyond its end. */
const lowerTypedTarget = (
  lowering: Lowering,
  { object, index, at }: Expression & { readonly kind: "element" },
  value: PyExpression,
): readonly PyStatement[] => {
  if (!isAlways(index.type, "number")) {
    lowering.refuse(at, "function/mixed-kinds", `\`${index.type.text}\` as a position`, "a number");
    return [];
  }
  const num = lowering.num(index);
  const [list, position] = [lowering.expression(object), lowering.expression(index)];
  const kept = typedElement(lowering, object.type, undefined, value);
  const write = pyAssign(pySubscript(list, position), kept);
  if (lowering.isProven(object, index)) return [write];
  if (!isInt(num) || num.low < 0 || !isSimple(position))
    return [pyRun(pyCall("put_typed", list, position, kept))];
  const test = pyBinary("<", position, pyCall("len", list));
  return [pyWhen(test, [write])];
};

/** `a ??= b`. */
const assignIf = (
  lowering: LoweringState,
  place: Expression,
  operator: "??" | "||" | "&&",
  value: Expression,
): readonly PyStatement[] => {
  const now = lowering.expression(place);
  const truth =
    operator === "??"
      ? missingTest(now, place.type, true)
      : truthTest(now, place.type, isInt(lowering.num(place)));
  if (truth === undefined) {
    lowering.refuseKind(place, `\`${operator}=\` of {type}`, "`if`");
    return [];
  }
  const made =
    place.kind === "variable" ? written(lowering, place.variable, value) : lowering.expression(value);
  const test: PyExpression = operator === "||" ? { kind: "unary", operator: "not", operand: truth } : truth;
  return [pyWhen(test, lowerTarget(lowering, place, made, true))];
};

/** `a += b`. */
const update = (
  lowering: LoweringState,
  place: Expression,
  operator: Arithmetic,
  value: Expression,
): readonly PyStatement[] => {
  if (operator === "+" && isAlways(place.type, "string")) {
    if (isSteady(place)) return [updateIn(lowering, place, "+", lowering.text(value))];
  }
  if (place.kind === "variable" && place.variable.kind !== "module") {
    const plain = plainUpdates[operator];
    const num = lowering.numOfVariable(place.variable);
    const kind = kindOf(place.type);
    if (
      plain !== undefined &&
      kind === kindOf(value.type) &&
      !isMissing(place.type) &&
      !isMissing(value.type)
    ) {
      if (kind === "bigint") return [updateIn(lowering, place, plain, lowering.expression(value))];
      if (
        kind === "number" &&
        (num.kind === "float" || (num.kind === "int" && operator !== "*" && isInt(lowering.num(value))))
      )
        return [updateIn(lowering, place, plain, operand(lowering, value))];
    }
  }
  const num = lowering.num({
    kind: "binary",
    operator,
    left: place,
    right: value,
    type: place.type,
    at: place.at,
  });
  const made = lowerArithmetic(lowering, operator, place, value, num, place.at);
  const isFloat = place.kind === "variable" && isConverted(lowering, place.variable);
  return lowerTarget(lowering, place, isFloat && num.kind !== "float" ? pyCall("float", made) : made, true);
};

const plainUpdates: Partial<Record<Arithmetic, PyArithmetic>> = { "+": "+", "-": "-", "*": "*" };

/** Whether a target can be evaluated twice, or updated in place. */
const isSteady = (place: Expression): boolean =>
  place.kind === "variable"
    ? place.variable.kind !== "module"
    : place.kind === "property" && kindOf(place.object.type) === "record" && place.object.kind === "variable";

const updateIn = (
  lowering: Lowering,
  place: Expression,
  operator: PyArithmetic,
  value: PyExpression,
): PyStatement => pyDo({ kind: "update", target: lowering.expression(place), operator, value });

/** `i++` and `i--` as statements. */
export const lowerCount = (
  lowering: LoweringState,
  counted: Expression,
  by: 1 | -1,
): readonly PyStatement[] => {
  const target = steady(lowering, counted, undefined, true);
  const operator = by === 1 ? "+" : "-";
  const kind = kindOf(target.type);
  const one: Expression =
    kind === "bigint"
      ? { kind: "bigint", digits: "1", type: target.type, at: target.at }
      : { kind: "number", value: 1, type: target.type, at: target.at };
  if (target.kind === "variable" && target.variable.kind !== "module" && kind === "number") {
    const step = lowering.numOfVariable(target.variable).kind === "any" ? pyFloat(1) : pyInt(1);
    return [updateIn(lowering, target, operator, step)];
  }
  return update(lowering, target, operator, one);
};

/** `delete o.a`. */
export const lowerDelete = (lowering: LoweringState, target: Expression): readonly PyStatement[] => {
  if (target.kind === "refused") return [];
  if ((target.kind === "property" || target.kind === "element") && kindOf(target.object.type) === "record") {
    const key = target.kind === "property" ? pyText(target.name) : lowering.text(target.index);
    return [pyRun(pyMethod(lowering.expression(target.object), "pop", key, pyName("None")))];
  }
  lowering.refuse(target.at, "function/array-hole", "`delete` of an element", "`splice`, or a new array");
  return [];
};
