import { builtins, properties } from "../builtins/table.ts";
import type { Element, Expression } from "../ir/code.ts";
import { writtenBy } from "../ir/effects.ts";
import { isAlways, kindOf } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { arithmeticNum, negated } from "./arithmetic-num.ts";
import { anyNumber, eitherNum, float, int32, isInt, type Num, uint32 } from "./num.ts";

/** The known ranges of the variables and functions that an expression mentions. */
export interface KnownNumbers {
  readonly variable: (variable: Variable) => Num | undefined;
  /** The range of a user's function's result. */
  readonly returned: (variable: Variable) => Num | undefined;
  /** The range of the properties with this name, in any record. */
  readonly field: (name: string) => Num | undefined;
  /** Whether a variable is the record of inputs, whose numbers are floats. */
  readonly isInputs: (variable: Variable) => boolean;
}

/** The range of a numeric expression; undefined while a variable in it is unknown. */
export const numOf = (expression: Expression, known: KnownNumbers): Num | undefined => {
  if (!isAlways(expression.type, "number")) return anyNumber;
  switch (expression.kind) {
    case "number": {
      const { value } = expression;
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? { kind: "int", low: value, high: value }
        : float;
    }
    case "variable":
      return known.variable(expression.variable);
    case "effect": {
      const target = writtenBy(expression.statement);
      return target?.kind === "variable" ? known.variable(target.variable) : anyNumber;
    }
    case "unary": {
      if (expression.operator === "~") return int32;
      if (kindOf(expression.operand.type) !== "number") return anyNumber;
      const operand = numOf(expression.operand, known);
      return operand && (expression.operator === "-" ? negated(operand) : operand);
    }
    case "binary": {
      const left = numOf(expression.left, known);
      const right = numOf(expression.right, known);
      const { operator } = expression;
      if (left === undefined || right === undefined) return undefined;
      return operator in arithmeticNum
        ? arithmeticNum[operator as keyof typeof arithmeticNum](left, right)
        : anyNumber;
    }
    case "conditional":
      return eitherNum(numOf(expression.whenTrue, known), numOf(expression.otherwise, known));
    case "logical": {
      const { operator, left, right } = expression;
      const bare = { ...left, type: { ...left.type, undefined: false, null: false } };
      const kept = operator !== "&&" && left.kind === "element" ? elementNum(left) : numOf(bare, known);
      return eitherNum(kept, numOf(right, known));
    }
    case "property": {
      const { object, name } = expression;
      const kind = kindOf(object.type);
      if (kind === "record" && object.kind === "variable" && known.isInputs(object.variable)) return float;
      if (kind === "record") return known.field(name);
      return properties[`${kind}.${name}`]?.number ?? anyNumber;
    }
    case "element": {
      // `!` and `as` hide that an element is missing, which counts as NaN.
      const num = elementNum(expression);
      return isInt(num) ? anyNumber : num;
    }
    case "builtin":
      return properties[expression.name]?.number ?? anyNumber;
    case "invocation": {
      const row = builtins[expression.row];
      if (row === undefined || !("number" in row) || row.number === undefined) return anyNumber;
      const quotient =
        expression.row === "Math.floor" ? wholeQuotient(expression.args[0]?.value, known) : undefined;
      if (quotient !== undefined) return quotient;
      const args = expression.args.map(({ spread, value }) => (spread ? anyNumber : numOf(value, known)));
      return args.includes(undefined) ? undefined : row.number(args as readonly Num[], expression);
    }
    case "call":
      return expression.callee.kind === "variable" ? known.returned(expression.callee.variable) : anyNumber;
    default:
      return anyNumber;
  }
};

/** The range of an element that is present. */
export const elementNum = ({ object }: Element): Num => typedNums[object.type.array ?? ""] ?? anyNumber;

/** The ranges of the elements of typed arrays. */
const typedNums: Readonly<Record<string, Num>> = {
  Float32Array: float,
  Float64Array: float,
  Int8Array: { kind: "int", low: -(2 ** 7), high: 2 ** 7 - 1 },
  Int16Array: { kind: "int", low: -(2 ** 15), high: 2 ** 15 - 1 },
  Int32Array: int32,
  Uint8Array: { kind: "int", low: 0, high: 2 ** 8 - 1 },
  Uint8ClampedArray: { kind: "int", low: 0, high: 2 ** 8 - 1 },
  Uint16Array: { kind: "int", low: 0, high: 2 ** 16 - 1 },
  Uint32Array: uint32,
};

/** `Math.floor(a / b)` for non-negative ints. */
const wholeQuotient = (x: Expression | undefined, known: KnownNumbers): Num | undefined => {
  if (x?.kind !== "binary" || x.operator !== "/") return undefined;
  const [a, b] = [numOf(x.left, known), numOf(x.right, known)];
  if (a?.kind !== "int" || b?.kind !== "int" || a.low < 0 || b.low <= 0) return undefined;
  return { kind: "int", low: 0, high: a.high };
};
