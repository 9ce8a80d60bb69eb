import { ts } from "ts-morph";
import type { Expression } from "../ir/code.ts";
import type { Reader } from "./reader.ts";

interface ConstantPattern {
  readonly text: string;
  readonly flags: string | undefined;
  /** The argument that is the pattern. */
  readonly pattern: ts.Expression;
  /** Constants that the argument mentions. */
  readonly names: readonly ts.Identifier[];
}

/** `new RegExp("a+", "g")` with constant strings, which equals the literal `/a+/g`; undefined for everything else. */
export const readConstantPattern = (reader: Reader, node: ts.Expression): Expression | undefined => {
  const found = constantPattern(reader, node);
  if (found === undefined) return undefined;
  // The emitted JavaScript still uses these constants.
  for (const name of found.names) {
    const named = reader.name(name);
    if (named.kind === "refused") return named;
  }
  try {
    const { source, flags } = new RegExp(found.text, found.flags);
    return { kind: "regexp", source, flags, type: reader.typeOf(node), at: reader.at(found.pattern) };
  } catch (error) {
    return reader.refuse(node, "function/regexp", (error as Error).message, "a valid regular expression");
  }
};

/** The flags of a literal or of `new RegExp` with constant strings. */
export const constantFlags = (reader: Reader, node: ts.Expression): string | undefined =>
  ts.isRegularExpressionLiteral(node)
    ? node.text.slice(node.text.lastIndexOf("/") + 1)
    : constantPattern(reader, node)?.flags;

const constantPattern = (reader: Reader, node: ts.Expression): ConstantPattern | undefined => {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  if (!ts.isIdentifier(node.expression) || node.expression.text !== "RegExp") return undefined;
  if (reader.declarationOf(node.expression)?.getSourceFile().isDeclarationFile !== true) return undefined;
  const [pattern, marks] = node.arguments ?? [];
  if (pattern === undefined) return undefined;
  const names: ts.Identifier[] = [];
  const [text, flags] = [pattern, marks].map((one) => one && constantText(reader, one, names));
  return text === undefined || (marks !== undefined && flags === undefined)
    ? undefined
    : { text, flags, pattern, names };
};

/** The constant string value of an expression. Adds the constants that the expression uses to `names`. */
const constantText = (reader: Reader, node: ts.Expression, names: ts.Identifier[]): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return constantText(reader, node.expression, names);
  if (ts.isTaggedTemplateExpression(node))
    return node.tag.getText() === "String.raw" && ts.isNoSubstitutionTemplateLiteral(node.template)
      ? node.template.rawText
      : undefined;
  if (ts.isTemplateExpression(node))
    return joined([
      node.head.text,
      ...node.templateSpans.flatMap((span) => [
        constantText(reader, span.expression, names),
        span.literal.text,
      ]),
    ]);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return joined([node.left, node.right].map((side) => constantText(reader, side, names)));
  if (!ts.isIdentifier(node)) return undefined;
  const declaration = reader.declarationOf(node);
  if (
    declaration === undefined ||
    !ts.isVariableDeclaration(declaration) ||
    (declaration.parent.flags & ts.NodeFlags.Const) === 0 ||
    declaration.initializer === undefined
  )
    return undefined;
  names.push(node);
  return constantText(reader, declaration.initializer, []);
};

const joined = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.includes(undefined) ? undefined : parts.join("");
