import type { Variable } from "../ir/variable.ts";
import type {
  PyArgument,
  PyClause,
  PyDoes,
  PyExpression,
  PyName,
  PyOperator,
  PyStatement,
  PyText,
} from "./syntax.ts";

export const pyName = (id: string): PyName => ({ kind: "name", id });
export const pyVariable = (variable: Variable): PyExpression => ({ kind: "variable", variable });
export const pyText = (value: string): PyText => ({ kind: "text", value });
/** An int literal. Python does not read decimal literals of more than 4,300 digits. */
export const pyInt = (value: number | bigint): PyExpression =>
  signed(value < 10n ** 4300n ? String(value) : `0x${value.toString(16)}`);
/** A float literal of a finite number. */
export const pyFloat = (value: number): PyExpression => {
  const text = String(value);
  return signed(Object.is(value, -0) ? "-0.0" : /[.e]/.test(text) ? text : `${text}.0`);
};
const signed = (text: string): PyExpression =>
  text.startsWith("-") ? pyNegative({ kind: "literal", text: text.slice(1) }) : { kind: "literal", text };

export const pyCall = (callee: PyExpression | string, ...args: readonly PyExpression[]): PyExpression =>
  pyCallWith(callee, args);
export const pyCallWith = (
  callee: PyExpression | string,
  args: readonly PyExpression[],
  named: Readonly<Record<string, PyExpression>> = {},
): PyExpression => ({
  kind: "call",
  callee: typeof callee === "string" ? pyName(callee) : callee,
  args: [
    ...args.map((value): PyArgument => ({ value })),
    ...Object.entries(named).map(([name, value]): PyArgument => ({ name, value })),
  ],
});
export const pyMethod = (
  object: PyExpression,
  name: string,
  ...args: readonly PyExpression[]
): PyExpression => pyCall(pyAttribute(object, name), ...args);
export const pyAttribute = (object: PyExpression, name: string): PyExpression => ({
  kind: "attribute",
  object,
  name,
});
export const pySubscript = (object: PyExpression, index: PyExpression): PyExpression => ({
  kind: "subscript",
  object,
  index,
});
export const pySlice = (
  object: PyExpression,
  from?: PyExpression,
  to?: PyExpression,
  step?: PyExpression,
): PyExpression => pySubscript(object, { kind: "slice", from, to, step });
export const pyBinary = (operator: PyOperator, left: PyExpression, right: PyExpression): PyExpression => ({
  kind: "binary",
  operator: isFolded(left) || isFolded(right) ? (equalities[operator] ?? operator) : operator,
  left,
  right,
});
/** CPython warns about `is` with a literal. A literal is never one of our objects, so `==` is equivalent. */
const equalities: Partial<Record<PyOperator, PyOperator>> = { is: "==", "is not": "!=" };
/** Whether CPython folds the expression into one constant. */
const isFolded = (expression: PyExpression): boolean => {
  switch (expression.kind) {
    case "text":
    case "literal":
      return true;
    case "format":
      return expression.parts.every((part) => typeof part === "string");
    case "tuple":
      return expression.items.every(isFolded);
    case "unary":
      return isFolded(expression.operand);
    case "binary":
      return isFolded(expression.left) && isFolded(expression.right);
    case "subscript":
      return isFolded(expression.object) && isFolded(expression.index);
    case "slice":
      return [expression.from, expression.to, expression.step].every(
        (part) => part === undefined || isFolded(part),
      );
    default:
      return false;
  }
};
export const pyNot = (operand: PyExpression): PyExpression => {
  if (operand.kind === "binary") {
    const operator = opposites[operand.operator];
    if (operator !== undefined) return { ...operand, operator };
  }
  if (operand.kind === "unary" && operand.operator === "not") return operand.operand;
  return { kind: "unary", operator: "not", operand };
};
/** Operators with an exact negation. `<` has none because of NaN. */
const opposites: Partial<Record<PyOperator, PyOperator>> = {
  "==": "!=",
  "!=": "==",
  in: "not in",
  "not in": "in",
  is: "is not",
  "is not": "is",
};
export const pyIf = (test: PyExpression, whenTrue: PyExpression, otherwise: PyExpression): PyExpression => ({
  kind: "conditional",
  test,
  whenTrue,
  otherwise,
});
export const pyList = (items: readonly PyExpression[]): PyExpression => ({ kind: "list", items });
export const pyTuple = (items: readonly PyExpression[]): PyExpression => ({ kind: "tuple", items });
/** `[element for …]`, or a generator without brackets. */
export const pyComprehension = (
  form: "list" | "generator",
  element: PyExpression,
  ...clauses: readonly PyClause[]
): PyExpression => ({ kind: "comprehension", form, element, clauses });
/** `{key: value for …}`. */
export const pyDictComprehension = (
  key: PyExpression,
  value: PyExpression,
  ...clauses: readonly PyClause[]
): PyExpression => ({ kind: "comprehension", form: "dict", element: key, value, clauses });
export const pyLambda = (parameter: Variable, body: PyExpression): PyExpression => ({
  kind: "lambda",
  parameters: [{ variable: parameter, form: "plain" }],
  body,
});
export const pyNegative = (operand: PyExpression): PyExpression => ({
  kind: "unary",
  operator: "-",
  operand,
});
export const pyStar = (value: PyExpression): PyExpression => ({ kind: "star", value });

export const pyDo = (does: PyDoes): PyStatement => ({ does });
export const pyAssign = (target: PyExpression, value: PyExpression): PyStatement =>
  pyDo({ kind: "assign", target, value });
/** `if` without `else`. */
export const pyWhen = (test: PyExpression, body: readonly PyStatement[]): PyStatement =>
  pyDo({ kind: "if", branches: [{ test, body }], otherwise: [] });
export const pyRun = (value: PyExpression): PyStatement => pyDo({ kind: "expression", value });

/** Whether evaluating the expression is cheap and has no effect. */
export const isSimple = (expression: PyExpression): boolean => {
  switch (expression.kind) {
    case "name":
    case "variable":
    case "text":
    case "literal":
      return true;
    case "unary":
      return isSimple(expression.operand);
    case "subscript":
      return isSimple(expression.object) && isSimple(expression.index);
    case "attribute":
      return isSimple(expression.object);
    default:
      return false;
  }
};
