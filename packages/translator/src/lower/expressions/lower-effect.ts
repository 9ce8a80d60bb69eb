import type { Effect, Expression } from "../../ir/code.ts";
import { writtenBy } from "../../ir/effects.ts";
import { isAlways, kindOf } from "../../ir/value-type.ts";
import {
  pyBinary,
  pyCall,
  pyFloat,
  pyIf,
  pyInt,
  pyMethod,
  pySubscript,
  pyText,
  pyTuple,
  pyVariable,
} from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { written } from "../statements/lower-assign.ts";
import { lowerArithmetic } from "../operators/lower-binary.ts";
import { keyOf } from "./lower-access.ts";
import { truthTest } from "../operators/lower-truth.ts";
import type { LoweringState } from "../lowering-state.ts";
import { missingTest } from "../operators/missing.ts";

/** `(x = value)`, `i++` and `--i` as values. */
export const lowerValueOfEffect = (lowering: LoweringState, effect: Effect): PyExpression => {
  const { does } = effect.statement;
  const refuse = (what: string): PyExpression =>
    lowering.refuse(effect.at, "function/effect-in-expression", what);
  const place = writtenBy(effect.statement);
  if (place?.kind === "refused") return lowering.expression(place);
  if (place?.kind !== "variable") {
    const made =
      place === undefined
        ? undefined
        : does.kind === "assign"
          ? defaulted(lowering, does, place)
          : countedIn(lowering, effect, place);
    return made ?? refuse("an element or a property that is assigned to inside an expression");
  }
  const { variable } = place;
  if (variable.kind === "module")
    return lowering.refuse(
      effect.at,
      "function/module-variable",
      `the module's variable \`${variable.name}\` is assigned a new value`,
    );
  if (!lowering.takesAssignments())
    return refuse(`\`${variable.name}\` is assigned to in an expression that a method iterates over`);
  const assign = (value: PyExpression): PyExpression => ({ kind: "walrus", variable, value });
  if (does.kind === "count") {
    const one: Expression =
      kindOf(place.type) === "bigint"
        ? { kind: "bigint", digits: "1", type: place.type, at: place.at }
        : { kind: "number", value: 1, type: place.type, at: place.at };
    const operator = does.by === 1 ? "+" : "-";
    const after = assign(arithmetic(lowering, operator, place, one));
    if (effect.gives === "new") return after;
    const isExact = kindOf(place.type) === "bigint" || isInt(lowering.numOfVariable(variable));
    return isExact
      ? pyBinary(does.by === 1 ? "-" : "+", after, pyInt(1))
      : pySubscript(pyTuple([pyVariable(variable), after]), pyInt(0));
  }
  if (does.kind !== "assign") return refuse("this");
  const { operator, value } = does;
  if (operator === undefined) return assign(written(lowering, variable, value));
  if (operator === "??" || operator === "||" || operator === "&&") {
    const now = pyVariable(variable);
    const test =
      operator === "??"
        ? missingTest(now, place.type, false)
        : truthTest(now, place.type, isInt(lowering.num(place)));
    if (test === undefined) return refuse(`\`${operator}=\` of \`${place.type.text}\``);
    const after = assign(written(lowering, variable, value));
    return operator === "&&" ? pyIf(test, after, now) : pyIf(test, now, after);
  }
  return assign(arithmetic(lowering, operator, place, value));
};

const arithmetic = (
  lowering: LoweringState,
  operator: Parameters<typeof lowerArithmetic>[1],
  left: Expression & { readonly kind: "variable" },
  right: Expression,
): PyExpression => {
  const all: Expression = { kind: "binary", operator, left, right, type: left.type, at: left.at };
  const made = lowerArithmetic(lowering, operator, left, right, lowering.num(all), left.at);
  const isFloat = lowering.numOfVariable(left.variable).kind === "float";
  return isFloat && isInt(lowering.num(all))
    ? { kind: "call", callee: { kind: "name", id: "float" }, args: [{ value: made }] }
    : made;
};

/** `p.at++` or `++p.at` as a value, if `p` is a variable. */
const countedIn = (
  lowering: LoweringState,
  { statement, gives }: Effect,
  place: Expression,
): PyExpression | undefined => {
  const { does } = statement;
  if (place.kind !== "property" || place.object.kind !== "variable" || does.kind !== "count")
    return undefined;
  const field = place.object.type.fields?.get(place.name);
  if (kindOf(place.object.type) !== "record" || field === undefined || field.optional) return undefined;
  if (!isAlways(place.type, "number")) return undefined;
  const by = isInt(lowering.num(place)) ? pyInt(does.by) : pyFloat(does.by);
  const name = gives === "new" ? "count_on" : "count_after";
  return pyCall(name, lowering.expression(place.object), pyText(place.name), by);
};

/** `(groups[k] ??= [])` for a record whose values are never missing. */
const defaulted = (
  lowering: LoweringState,
  { operator, value }: Effect["statement"]["does"] & { readonly kind: "assign" },
  place: Expression,
): PyExpression | undefined => {
  const isPlain =
    (value.kind === "list" && value.items.length === 0) ||
    (value.kind === "record" && value.entries.length === 0) ||
    value.kind === "number" ||
    value.kind === "text" ||
    (value.kind === "invocation" && /^new (?:Map|Set)$/.test(value.row) && value.args.length === 0);
  if (operator !== "??" || !isPlain || place.kind !== "element") return undefined;
  const { object, index } = place;
  const kept = object.type.index;
  if (kindOf(object.type) !== "record" || kept === undefined || kept.undefined || kept.null) return undefined;
  const key = index.kind === "text" ? pyText(index.value) : keyOf(lowering, place, "reads");
  return key && pyMethod(lowering.expression(object), "setdefault", key, lowering.expression(value));
};
