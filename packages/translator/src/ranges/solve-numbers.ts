import type { Declaration, Expression } from "../ir/code.ts";
import { isAlways, typeOfKind } from "../ir/value-type.ts";
import { scopeIn, type Variable } from "../ir/variable.ts";
import { arithmeticNum } from "./arithmetic-num.ts";
import { type Flows, flowsOf, type Write } from "./flows.ts";
import {
  anyNumber,
  eitherNum,
  farthestCount,
  farthestStart,
  float,
  intBetween,
  isInt,
  isLength,
  largestStep,
  type Num,
  sameNum,
} from "./num.ts";
import { type KnownNumbers, numOf } from "./numbers-of.ts";
import type { Records } from "./records.ts";

/** The Python type of each number in the gathered code. */
export interface Numbers {
  readonly of: (expression: Expression) => Num;
  readonly ofVariable: (variable: Variable) => Num;
  /** Whether the properties with this name are ints in every record. */
  readonly isIntField: (name: string) => boolean;
  readonly flows: Flows;
}

/** Number of rounds after which a range that still grows becomes unlimited. */
const patience = 8;

/**
 * Interval analysis: the ranges of variables start empty and grow with the values written to them until nothing changes.
 * A variable that mixes ints and floats becomes a float, and values written to it are converted; a parameter stays
 * "any". `inputs`: the record that `run` takes, whose numbers are floats. Properties with the same name have one range
 * in all records.
 */
export const solveNumbers = (
  declarations: readonly Declaration[],
  inputs: ReadonlySet<Variable>,
  records: Records,
): Numbers => {
  const flows = flowsOf(declarations);
  const fields = new Map(records.names.map((name) => [name, fieldNamed(name)]));
  const all = [
    ...[...flows.writes].filter(([variable]) => isNumber(variable)),
    ...[...fields].map(([name, variable]) => [variable, records.writesTo(name) ?? []] as const),
  ];
  const solved = new Set(all.map(([variable]) => variable));
  const variables = new Map<Variable, Num>();
  const returns = new Map<Variable, Num>();
  const known: KnownNumbers = {
    variable: (variable) =>
      inputs.has(variable) ? float : solved.has(variable) ? variables.get(variable) : anyNumber,
    returned: (variable) => (flows.functions.has(variable) ? returns.get(variable) : anyNumber),
    field: (name) => {
      const variable = fields.get(name);
      return variable === undefined ? anyNumber : variables.get(variable);
    },
    isInputs: (variable) => inputs.has(variable),
  };
  for (let round = 0, changed = true; changed; round++) {
    changed = false;
    for (const [variable, writes] of all) {
      const before = variables.get(variable);
      const after = grown(variable, writes, before, known, round > patience);
      if (after !== undefined && !sameNum(before, after)) {
        variables.set(variable, after);
        changed = true;
      }
    }
    for (const [variable, values] of flows.returns) {
      let after = returns.get(variable);
      for (const value of values) after = eitherNum(after, value && numOf(value, known));
      const kept =
        after !== undefined && round > patience && !sameNum(returns.get(variable), after) ? anyNumber : after;
      if (kept !== undefined && !sameNum(returns.get(variable), kept)) {
        returns.set(variable, kept);
        changed = true;
      }
    }
  }
  return {
    of: (expression) => numOf(expression, known) ?? anyNumber,
    ofVariable: (variable) => known.variable(variable) ?? anyNumber,
    isIntField: (name) => isInt(known.field(name) ?? anyNumber),
    flows,
  };
};

/** A variable that represents all properties with this name. Like a parameter, it may be any number. */
const fieldNamed = (name: string): Variable => ({
  name,
  kind: "parameter",
  scope: scopeIn(undefined, "module"),
  type: typeOfKind("number"),
});

const isNumber = ({ type }: Variable): boolean => isAlways(type, "number");

const grown = (
  variable: Variable,
  writes: readonly Write[],
  before: Num | undefined,
  known: KnownNumbers,
  late: boolean,
): Num | undefined => {
  let after = before;
  for (const made of writes) {
    const next = numOfWrite(variable, made, after, known);
    if (next !== undefined) after = mixed(variable, writes, after, next);
  }
  if (late && after !== undefined && !sameNum(before, after) && isInt(after)) {
    if (isNear(after) && before !== undefined && isInt(before))
      return {
        kind: "int",
        low: after.low < before.low ? -farthestStart : after.low,
        high: after.high > before.high ? farthestStart : after.high,
      };
    return variable.kind === "parameter" ? anyNumber : float;
  }
  return after;
};

const numOfWrite = (
  variable: Variable,
  made: Write,
  now: Num | undefined,
  known: KnownNumbers,
): Num | undefined => {
  if (made.kind === "num") return made.num;
  const steps = made.kind === "step" ? [made] : stepsOf(variable, made.value);
  if (steps === undefined) return made.kind === "value" ? numOfValue(made.value, known) : undefined;
  let [low, high] = [0, 0];
  let isSmall = true;
  for (const { value, sign } of steps) {
    const by = numOf(value, known);
    if (by === undefined || now === undefined) return undefined;
    if (!isInt(by) || !isInt(now)) return float;
    low += sign === 1 ? by.low : -by.high;
    high += sign === 1 ? by.high : -by.low;
    isSmall &&= partsOf(value).every((part) => isSmallStep(numOf(part, known)));
  }
  const by = intBetween(low, high);
  if (now === undefined || by === undefined || !isInt(now)) return float;
  if (!isSmall) return arithmeticNum["+"](now, by);
  if ((low < 0 && now.low < -farthestStart) || (high > 0 && now.high > farthestStart)) return float;
  return {
    kind: "int",
    low: low < 0 ? Math.min(now.low, -farthestCount) : now.low,
    high: high > 0 ? Math.max(now.high, farthestCount) : now.high,
  };
};

/** The range of a value. A range that continues another count, as in `end = start + 1`, is limited like that count. */
const numOfValue = (value: Expression, known: KnownNumbers): Num | undefined => {
  const made = numOf(value, known);
  const [first, ...more] = partsOf(value);
  if (made === undefined || !isInt(made) || first?.kind !== "variable" || more.length === 0) return made;
  const from = numOf(first, known);
  const isCount = from !== undefined && isNear(from) && more.every((part) => isSmallStep(numOf(part, known)));
  return isCount
    ? { kind: "int", low: Math.max(made.low, -farthestStart), high: Math.min(made.high, farthestStart) }
    : made;
};

/** Whether counting may start at the number. */
const isNear = (num: Num): boolean => isInt(num) && num.low >= -farthestStart && num.high <= farthestStart;

/** The values added and subtracted in a step. */
const partsOf = (value: Expression): readonly Expression[] =>
  value.kind === "binary" && (value.operator === "+" || value.operator === "-")
    ? [...partsOf(value.left), ...partsOf(value.right)]
    : [value];

const isSmallStep = (num: Num | undefined): boolean =>
  num !== undefined &&
  isInt(num) &&
  (isLength(num) || Math.max(Math.abs(num.low), Math.abs(num.high)) <= largestStep);

interface Step {
  readonly value: Expression;
  readonly sign: 1 | -1;
}

/** `x = x + a - b` as the steps `a` and `-b`. */
const stepsOf = (variable: Variable, value: Expression): readonly Step[] | undefined => {
  if (value.kind !== "binary" || (value.operator !== "+" && value.operator !== "-")) return undefined;
  const last: Step = { value: value.right, sign: value.operator === "+" ? 1 : -1 };
  if (value.left.kind === "variable" && value.left.variable === variable) return [last];
  const before = stepsOf(variable, value.left);
  return before && [...before, last];
};

/**
 * A local variable that mixes ints and floats is a float. A variable that is computed from itself is a float unless it
 * is always an int.
 */
const mixed = (variable: Variable, writes: readonly Write[], a: Num | undefined, b: Num): Num => {
  const both = eitherNum(a, b) ?? b;
  if (both.kind !== "any" || variable.kind !== "let") return both;
  const computes = writes.some((made) => made.kind === "step");
  return computes || (a?.kind !== "any" && b.kind !== "any") ? float : both;
};
