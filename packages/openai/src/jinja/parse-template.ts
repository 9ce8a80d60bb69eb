import { library, type Node, type Token } from "./library.ts";

/** A test becomes a filter with this prefix; the other filter prints an expression. No template can use these names. */
export const testPrefix = " is ";
export const printFilter = " print";
/** The filter that returns lists that a loop with several variables can unpack. */
export const unpackFilter = " unpack";

/**
 * A template in which tests are filters, so that they may have arguments, and in which each printed expression is passed to a filter that
 * prints it as Python does.
 */
export const parseTemplate = (template: string): Node => {
  const tokens = library.tokenize(template, { lstrip_blocks: true, trim_blocks: true });
  return printing(library.parse(testsAsFilters(tokens)));
};

const token = (type: string, value: string): Token => ({ type, value });
/** Tokens after the name of a test that cannot begin its argument. */
const afterTest = new Set(["and", "else", "if", "in", "is", "not", "or"]);
const beginsArgument = ({ type, value }: Token): boolean =>
  ["StringLiteral", "NumericLiteral", "OpenSquareBracket", "OpenCurlyBracket"].includes(type) ||
  (type === "Identifier" && !afterTest.has(value));

/** `x is not divisibleby 3` → `x | " is not divisibleby"(3)` */
const testsAsFilters = (tokens: readonly Token[]): Token[] => {
  const made: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const one = tokens[at] as Token;
    if (one.type !== "Identifier" || one.value !== "is" || tokens[at - 1]?.type === "Dot") {
      made.push(one);
      continue;
    }
    const negated = tokens[at + 1]?.value === "not" && tokens[at + 1]?.type === "Identifier";
    at += negated ? 2 : 1;
    const name = tokens[at];
    if (name === undefined) break;
    made.push(
      token("Pipe", "|"),
      token("Identifier", `${negated ? `${testPrefix}not ` : testPrefix}${name.value}`),
    );
    const next = tokens[at + 1];
    if (next === undefined || !beginsArgument(next)) continue;
    const end = endOfArgument(tokens, at + 1);
    const argument = testsAsFilters(tokens.slice(at + 1, end));
    made.push(token("OpenParen", "("), ...argument, token("CloseParen", ")"));
    at = end - 1;
  }
  return made;
};

const opening = ["OpenParen", "OpenSquareBracket", "OpenCurlyBracket"];
const closing = ["CloseParen", "CloseSquareBracket", "CloseCurlyBracket"];

/** The end of an argument without parentheses: one value, with its items, attributes and calls. */
const endOfArgument = (tokens: readonly Token[], start: number): number => {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const { type } = tokens[at] as Token;
    if (opening.includes(type) && (depth > 0 || at === start || type !== "OpenCurlyBracket")) depth++;
    else if (closing.includes(type)) depth--;
    else if (depth === 0 && at > start && type !== "Dot" && tokens[at - 1]?.type !== "Dot") return at;
    if (depth < 0) return at;
  }
  return tokens.length;
};

const statements = new Set([
  "Break",
  "CallStatement",
  "Comment",
  "Continue",
  "FilterStatement",
  "For",
  "If",
  "Macro",
  "Set",
  "StringLiteral",
]);
const bodies = ["body", "alternate", "defaultBlock"];

const filtered = (operand: Node, value: string): Node => ({
  type: "FilterExpression",
  operand,
  filter: { type: "Identifier", value },
});

/** A loop with several variables: the library cannot unpack tuples. */
const unpacking = (loop: Node): Readonly<Record<string, unknown>> => {
  const { loopvar, iterable } = loop as unknown as { readonly loopvar: Node; readonly iterable: Node };
  if (loopvar.type !== "TupleLiteral") return {};
  const selects = iterable.type === "SelectExpression";
  const all = filtered(selects ? (iterable["lhs"] as Node) : iterable, unpackFilter);
  return { iterable: selects ? { ...iterable, lhs: all } : all };
};

/** Passes the expressions in a statement's bodies to the printing filter. */
const printing = (statement: Node): Node => {
  const changed = Object.fromEntries(
    bodies.flatMap((name) => {
      const body = statement[name] as readonly Node[] | undefined;
      return Array.isArray(body) ? [[name, body.map(printed)]] : [];
    }),
  );
  // The library recognizes some nodes by their class.
  const copy = Object.assign(
    Object.create(Object.getPrototypeOf(statement) as object) as Node,
    statement,
    changed,
    statement.type === "For" ? unpacking(statement) : {},
  );
  return copy.type === "FilterStatement"
    ? { type: "FilterExpression", operand: { type: "Program", body: copy["body"] }, filter: copy["filter"] }
    : copy;
};

const printed = (node: Node): Node =>
  statements.has(node.type) ? printing(node) : filtered(node, printFilter);
