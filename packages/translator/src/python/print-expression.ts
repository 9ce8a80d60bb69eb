import type { Variable } from "../ir/variable.ts";
import { flat, type Layout } from "./layout.ts";
import type { PyArgument, PyComprehension, PyExpression, PyFormatted, PyOperator } from "./syntax.ts";
import { escapeText, textLiteral } from "./text-literal.ts";

/** How to print an expression: the names of variables, and the quotes of strings, which differ inside an f-string. */
export interface PrintExpression {
  readonly nameOf: (variable: Variable) => string;
  readonly quote: '"' | "'";
}

/** Python's precedence levels, from loosest to tightest. */
const levels = {
  walrus: 0,
  lambda: 1,
  conditional: 2,
  or: 3,
  and: 4,
  not: 5,
  comparison: 6,
  "|": 7,
  "^": 8,
  "&": 9,
  shift: 10,
  sum: 11,
  product: 12,
  sign: 13,
  primary: 15,
  atom: 16,
} as const;

const levelOfOperator: Readonly<Record<PyOperator, number>> = {
  or: levels.or,
  and: levels.and,
  "==": levels.comparison,
  "!=": levels.comparison,
  "<": levels.comparison,
  "<=": levels.comparison,
  ">": levels.comparison,
  ">=": levels.comparison,
  in: levels.comparison,
  "not in": levels.comparison,
  is: levels.comparison,
  "is not": levels.comparison,
  "|": levels["|"],
  "^": levels["^"],
  "&": levels["&"],
  "<<": levels.shift,
  ">>": levels.shift,
  "+": levels.sum,
  "-": levels.sum,
  "*": levels.product,
  "/": levels.product,
  "//": levels.product,
  "%": levels.product,
};

const levelOfKind: Partial<Record<PyExpression["kind"], number>> = {
  walrus: levels.walrus,
  star: levels.lambda,
  slice: levels.lambda,
  lambda: levels.lambda,
  conditional: levels.conditional,
  between: levels.comparison,
  call: levels.primary,
  attribute: levels.primary,
  subscript: levels.primary,
};

const levelOf = (expression: PyExpression, how: PrintExpression): number => {
  if (expression.kind === "unary") return expression.operator === "not" ? levels.not : levels.sign;
  if (expression.kind === "binary") return levelOfOperator[expression.operator];
  if (expression.kind === "format" && formatText(expression.parts, how) === undefined) return levels.sum;
  return levelOfKind[expression.kind] ?? levels.atom;
};

/** Prints an expression that is part of a statement. */
export const printExpression = (expression: PyExpression, how: PrintExpression): Layout =>
  print(expression, levels.lambda, how);

const print = (expression: PyExpression, least: number, how: PrintExpression): Layout => {
  const printed = printBare(expression, how);
  return levelOf(expression, how) < least ? `(${flat(printed)})` : printed;
};

const printBare = (expression: PyExpression, how: PrintExpression): Layout => {
  const inside = (part: PyExpression, least: number = levels.lambda): Layout => print(part, least, how);
  switch (expression.kind) {
    case "name":
      return expression.id;
    case "variable":
      return how.nameOf(expression.variable);
    case "text":
      return textLiteral(expression.value, how.quote);
    case "literal":
      return expression.text;
    case "format":
      return formatText(expression.parts, how) ?? printSum(expression.parts, how);
    case "list":
      return { open: "[", items: expression.items.map((item) => inside(item)), close: "]", ...commas };
    case "tuple":
      return {
        open: "(",
        items: expression.items.map((item) => inside(item)),
        close: ")",
        between: ", ",
        single: true,
      };
    case "dict":
      return {
        open: "{",
        items: expression.entries.map(
          (entry): Layout =>
            "spread" in entry
              ? ["**", inside(entry.spread, levels["|"])]
              : [inside(entry.key), ": ", inside(entry.value)],
        ),
        close: "}",
        ...commas,
      };
    case "unary":
      return expression.operator === "not"
        ? ["not ", inside(expression.operand, levels.not)]
        : [expression.operator, inside(expression.operand, levels.sign)];
    case "binary":
      return printBinary(expression.operator, expression.left, expression.right, how);
    case "between": {
      const part = (one: PyExpression): Layout => inside(one, levels.comparison + 1);
      return [part(expression.low), " <= ", part(expression.value), " < ", part(expression.high)];
    }
    case "conditional":
      return [
        inside(expression.whenTrue, levels.or),
        " if ",
        inside(expression.test, levels.or),
        " else ",
        inside(expression.otherwise, levels.conditional),
      ];
    case "lambda": {
      const parameters = expression.parameters.map(({ variable, form }) =>
        parameterText(variable, form, how),
      );
      return [
        `lambda${parameters.length === 0 ? "" : " "}${parameters.join(", ")}: `,
        inside(expression.body),
      ];
    }
    case "call":
      return [inside(expression.callee, levels.primary), printArguments(expression.args, how)];
    case "attribute":
      return [
        inside(expression.object, expression.object.kind === "literal" ? levels.atom + 1 : levels.primary),
        `.${expression.name}`,
      ];
    case "subscript":
      return [inside(expression.object, levels.primary), "[", inside(expression.index, 0), "]"];
    case "slice": {
      const part = (bound: PyExpression | undefined): Layout => (bound === undefined ? "" : inside(bound));
      return [
        part(expression.from),
        ":",
        part(expression.to),
        ...(expression.step === undefined ? [] : [":", part(expression.step)]),
      ];
    }
    case "comprehension":
      return printComprehension(expression, how);
    case "walrus":
      return [`${how.nameOf(expression.variable)} := `, inside(expression.value)];
    default:
      return ["*", inside(expression.value, levels["|"])];
  }
};

const commas = { between: ", ", single: false } as const;

/** Arguments of a call. A generator that is the only argument needs no extra parentheses. */
const printArguments = (args: readonly PyArgument[], how: PrintExpression): Layout => {
  const [only] = args;
  if (
    args.length === 1 &&
    only?.value.kind === "comprehension" &&
    only.value.form === "generator" &&
    only.name === undefined
  )
    return { open: "(", items: clausesOf(only.value, how), close: ")", between: " ", single: false };
  const items = args.map(({ name, value }): Layout => {
    const printed = print(value, levels.lambda, how);
    return name === undefined ? printed : [`${name}=`, printed];
  });
  return { open: "(", items, close: ")", ...commas };
};

const printComprehension = (expression: PyComprehension, how: PrintExpression): Layout => {
  const [open, close] = { list: ["[", "]"], generator: ["(", ")"], dict: ["{", "}"] }[expression.form] as [
    string,
    string,
  ];
  return { open, items: clausesOf(expression, how), close, between: " ", single: false };
};

/** The element and the clauses of a comprehension. */
const clausesOf = (expression: PyComprehension, how: PrintExpression): readonly Layout[] => {
  const inside = (part: PyExpression, least: number): Layout => print(part, least, how);
  const { element, value, clauses } = expression;
  return [
    value === undefined
      ? inside(element, levels.lambda)
      : [inside(element, levels.lambda), ": ", inside(value, levels.lambda)],
    ...clauses.flatMap(({ target, iterable, test }): readonly Layout[] => [
      ["for ", printTarget(target, how), " in ", inside(iterable, levels.or)],
      ...(test === undefined ? [] : [["if ", inside(test, levels.or)]]),
    ]),
  ];
};

/** The target of a loop, whose outermost tuple has no parentheses. */
export const printTarget = (target: PyExpression, how: PrintExpression): Layout =>
  target.kind === "tuple" && target.items.length > 1
    ? target.items.map((item, at) => [at === 0 ? "" : ", ", print(item, levels.lambda, how)])
    : print(target, levels.lambda, how);

export const parameterText = (
  variable: Variable,
  form: "plain" | "optional" | "rest",
  how: PrintExpression,
): string => {
  const name = how.nameOf(variable);
  return form === "rest" ? `*${name}` : form === "optional" ? `${name}=undefined` : name;
};

const printBinary = (
  operator: PyOperator,
  left: PyExpression,
  right: PyExpression,
  how: PrintExpression,
): Layout => {
  const level = levelOfOperator[operator];
  const comparison = level === levels.comparison;
  const loose = operator === "and" || operator === "or";
  return [
    print(left, comparison ? level + 1 : level, how),
    ` ${operator} `,
    print(right, loose ? level : level + 1, how),
  ];
};

/** An f-string; undefined if it would contain both kinds of quotes or a backslash, which Python 3.10 does not allow. */
const formatText = (parts: readonly (string | PyFormatted)[], how: PrintExpression): string | undefined => {
  if (how.quote === "'") return undefined;
  const inner: PrintExpression = { ...how, quote: "'" };
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += escapeText(part).replaceAll(/[{}]/g, "$&$&");
    else {
      const value = flat(print(part.value, levels.or, inner));
      if (/["\\#\n]|^\{/.test(value)) return undefined;
      text += `{${value}}`;
    }
  }
  return `f"${text}"`;
};

const printSum = (parts: readonly (string | PyFormatted)[], how: PrintExpression): Layout => {
  const terms = parts
    .filter((part) => part !== "")
    .map((part): Layout => {
      if (typeof part === "string") return textLiteral(part, how.quote);
      return part.plain
        ? print(part.value, levels.sum + 1, how)
        : ["str(", print(part.value, levels.lambda, how), ")"];
    });
  return terms.map((term, at) => (at === 0 ? term : [" + ", term]));
};
