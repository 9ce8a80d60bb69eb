import { ts } from "ts-morph";
import type { Arithmetic, BinaryOperator, Entry, Expression, Item } from "../ir/code.ts";
import { isMissing, kindOf, present, typeOfKind, type ValueType } from "../ir/value-type.ts";
import type { Scope } from "../ir/variable.ts";
import { operandsAsLists } from "./match-as-list.ts";
import { isCallOrAccess, readChain, textsOrNull } from "./read-chain.ts";
import { readConstantPattern } from "./read-constant-pattern.ts";
import { readNew } from "./read-new.ts";
import type { Reader } from "./reader.ts";

/** Reads an expression. All refusals inside it are recorded. */
export const readExpression = (reader: Reader, node: ts.Expression, scope: Scope): Expression => {
  const at = reader.at(node);
  const inside = (inner: ts.Expression): Expression => reader.expression(inner, scope);
  const here = (): { readonly type: ValueType; readonly at: Expression["at"] } => ({
    type: reader.typeOf(node),
    at,
  });
  if (ts.isParenthesizedExpression(node)) return inside(node.expression);
  if (ts.isNonNullExpression(node)) {
    const value = inside(node.expression);
    const made = { ...value, type: present(value.type), ...claim(value, present(value.type)) };
    return made.kind === "element" ? { ...made, asserted: true } : made;
  }
  if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isSatisfiesExpression(node)) {
    const value = inside(node.expression);
    const type = reader.typeOf(node);
    if (isParse(value)) return reader.parsed(node.expression, value, type);
    for (const [name, { optional }] of type.fields ?? [])
      if (!optional && value.type.fields?.get(name)?.optional !== false) reader.mayLack(name);
    if (ts.isSatisfiesExpression(node) || kindOf(type) === "unknown") return value;
    const made = { ...value, type, ...claim(value, type) };
    return made.kind === "element" && !isMissing(type) ? { ...made, asserted: true } : made;
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return { kind: "text", value: node.text, ...here() };
  if (ts.isNumericLiteral(node)) return { kind: "number", value: Number(node.text), ...here() };
  if (ts.isBigIntLiteral(node))
    return { kind: "bigint", digits: String(BigInt(node.text.slice(0, -1).replaceAll("_", ""))), ...here() };
  const constant = constants[node.kind];
  if (constant !== undefined) return { kind: "constant", value: constant, ...here() };
  if (ts.isIdentifier(node)) {
    const named = reader.name(node);
    return named.kind === "refused" ? named : { ...named, type: refined(named.type, reader.typeOf(node)) };
  }
  if (ts.isTemplateExpression(node))
    return {
      kind: "template",
      parts: [
        node.head.text,
        ...node.templateSpans.flatMap((span) => [inside(span.expression), span.literal.text]),
      ].filter((part) => part !== ""),
      ...here(),
    };
  if (ts.isArrayLiteralExpression(node))
    return { kind: "list", items: readItems(reader, node.elements, scope), ...here() };
  if (ts.isObjectLiteralExpression(node))
    return {
      kind: "record",
      entries: node.properties.flatMap((property) => readEntry(reader, property, scope)),
      ...here(),
    };
  if (ts.isConditionalExpression(node))
    return {
      kind: "conditional",
      test: inside(node.condition),
      ...optionsOf(reader.typeOf(node), inside(node.whenTrue), inside(node.whenFalse)),
      ...here(),
    };
  if (ts.isPrefixUnaryExpression(node)) {
    const operator = unary[node.operator];
    if (operator === undefined) return readValueOfEffect(reader, node, scope, "new");
    return { kind: "unary", operator, operand: inside(node.operand), ...here() };
  }
  if (ts.isVoidExpression(node))
    return { kind: "unary", operator: "void", operand: inside(node.expression), ...here() };
  if (ts.isPostfixUnaryExpression(node)) return readValueOfEffect(reader, node, scope, "old");
  if (ts.isTypeOfExpression(node)) return { kind: "type name", value: inside(node.expression), ...here() };
  if (ts.isBinaryExpression(node)) return readBinary(reader, node, scope);
  const pattern = readConstantPattern(reader, node);
  if (pattern !== undefined) return pattern;
  if (isCallOrAccess(node)) return readChain(reader, node, scope);
  if (ts.isNewExpression(node)) return readNew(reader, node, scope);
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return reader.lambda(node, scope);
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { kind: "regexp", source: node.text.slice(1, end), flags: node.text.slice(end + 1), ...here() };
  }
  if (ts.isAwaitExpression(node)) return reader.refuse(node, "function/async", "`await`");
  if (ts.isYieldExpression(node))
    return reader.refuse(node, "function/syntax", "`yield`", "`push` to an array that is returned");
  if (ts.isDeleteExpression(node)) return refuseEffect(reader, node);
  return reader.refuse(node, "function/syntax", names[node.kind] ?? ts.SyntaxKind[node.kind]);
};

/** Marks a value that may be missing, although `!` or `as` denies it. An element may always be missing. */
const claim = (value: Expression, type: ValueType): { readonly claimed?: true } =>
  (isMissing(value.type) && !isMissing(type)) || value.kind === "element" ? { claimed: true } : {};

export const isParse = (value: Expression): boolean =>
  value.kind === "invocation" && value.row === "JSON.parse";

/** The type of a name at its position, or the declared type if the checker knows less at that position. */
const refined = (declared: ValueType, here: ValueType): ValueType =>
  kindOf(here) === "unknown" && kindOf(declared) !== "unknown"
    ? declared
    : declared === textsOrNull
      ? { ...declared, null: here.null, undefined: here.undefined }
      : here;

const constants: Partial<Record<ts.SyntaxKind, "true" | "false" | "null">> = {
  [ts.SyntaxKind.TrueKeyword]: "true",
  [ts.SyntaxKind.FalseKeyword]: "false",
  [ts.SyntaxKind.NullKeyword]: "null",
};
const unary: Partial<Record<ts.SyntaxKind, "!" | "-" | "+" | "~">> = {
  [ts.SyntaxKind.ExclamationToken]: "!",
  [ts.SyntaxKind.MinusToken]: "-",
  [ts.SyntaxKind.PlusToken]: "+",
  [ts.SyntaxKind.TildeToken]: "~",
};
const names: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.ThisKeyword]: "`this`",
  [ts.SyntaxKind.SuperKeyword]: "`super`",
  [ts.SyntaxKind.ClassExpression]: "a class",
  [ts.SyntaxKind.TaggedTemplateExpression]: "a tagged template",
  [ts.SyntaxKind.MetaProperty]: "`import.meta`",
};

/** An assignment or increment whose value is used. */
const readValueOfEffect = (
  reader: Reader,
  node: ts.Expression,
  scope: Scope,
  gives: "new" | "old",
): Expression => {
  const [does, ...more] = reader.effect(node, scope);
  if (does === undefined || more.length > 0) return refuseEffect(reader, node);
  const at = reader.at(node);
  return {
    kind: "effect",
    statement: { at, comments: [], does },
    gives,
    type: reader.typeOf(node),
    at,
  };
};

const refuseEffect = (reader: Reader, node: ts.Node): Expression =>
  reader.refuse(
    node,
    "function/effect-in-expression",
    `\`${shortText(node)}\` changes something inside an expression`,
  );

/** The source text on one line, shortened if it is long. */
const shortText = (node: ts.Node): string => {
  const text = node.getText().replaceAll(/\s+/g, " ");
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};

export const readItems = (reader: Reader, nodes: readonly ts.Expression[], scope: Scope): readonly Item[] =>
  nodes.map((node) => {
    if (ts.isOmittedExpression(node))
      return { spread: false, value: reader.refuse(node, "function/array-hole", "an array with a hole") };
    return ts.isSpreadElement(node)
      ? { spread: true, value: reader.expression(node.expression, scope) }
      : { spread: false, value: reader.expression(node, scope) };
  });

const readEntry = (reader: Reader, node: ts.ObjectLiteralElementLike, scope: Scope): readonly Entry[] => {
  if (ts.isSpreadAssignment(node)) return [{ spread: spreadOf(reader.expression(node.expression, scope)) }];
  if (ts.isShorthandPropertyAssignment(node)) return [{ key: node.name.text, value: reader.name(node.name) }];
  if (!ts.isPropertyAssignment(node)) {
    const isMethod = ts.isMethodDeclaration(node);
    reader.refuse(
      node,
      "function/syntax",
      isMethod ? "a method of an object" : "a getter or setter of an object",
      isMethod ? "a property with an arrow function" : "a property with the value, or a function",
    );
    return [];
  }
  const key = readKey(reader, node.name, scope);
  if (key === "__proto__") {
    reader.refuse(node, "function/inherited-name", "a property named `__proto__`", "another name");
    return [];
  }
  return [{ key, value: reader.expression(node.initializer, scope) }];
};

/** In `...(test && record)`, only the record has properties; a falsy value is ignored. */
const spreadOf = (value: Expression): Expression =>
  value.kind === "logical" && value.operator === "&&"
    ? {
        kind: "conditional",
        test: value.left,
        whenTrue: spreadOf(value.right),
        otherwise: { kind: "record", entries: [], type: value.right.type, at: value.at },
        type: value.right.type,
        at: value.at,
      }
    : value;

/** The name of a property, or the expression that computes it. */
export const readKey = (reader: Reader, name: ts.PropertyName, scope: Scope): string | Expression => {
  if (ts.isComputedPropertyName(name)) return reader.expression(name.expression, scope);
  if (ts.isNumericLiteral(name)) return String(Number(name.text));
  return name.text;
};

const readBinary = (reader: Reader, node: ts.BinaryExpression, scope: Scope): Expression => {
  const operator = ts.tokenToString(node.operatorToken.kind) ?? ",";
  const place = { type: reader.typeOf(node), at: reader.at(node) };
  if (
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  )
    return readValueOfEffect(reader, node, scope, "new");
  if (operator === "instanceof")
    return {
      kind: "instance",
      value: reader.expression(node.left, scope),
      of: node.right.getText(),
      ...place,
    };
  const type = typeOfTest(node);
  if (type !== undefined)
    return {
      kind: "typeof",
      value: reader.expression(type.value, scope),
      is: type.is,
      not: operator.startsWith("!"),
      ...place,
    };
  const left = reader.expression(node.left, scope);
  const right = reader.expression(node.right, scope);
  if (operator === "&&" || operator === "||" || operator === "??")
    return { kind: "logical", operator, ...sides(place.type, left, right), ...place };
  if (operator === "**" && left.kind === "number" && right.kind === "number") {
    const value = left.value ** right.value;
    if (Number.isInteger(left.value) && Number.isInteger(right.value) && Number.isSafeInteger(value))
      return { kind: "number", value, ...place };
  }
  // `(f(), x)`: both are evaluated, in this order, and the last is the value.
  if (operator === ",")
    return {
      kind: "element",
      object: {
        kind: "list",
        items: [left, right].map((value) => ({ spread: false, value })),
        ...place,
        type: typeOfKind("array", { items: [left.type, right.type] }),
      },
      index: { kind: "number", value: 1, ...place, type: typeOfKind("number") },
      ...place,
    };
  if (!isOperator(operator)) return reader.refuse(node, "function/syntax", `the operator \`${operator}\``);
  const named = operator === "in" ? { named: reader.namedRead(node, node.right) } : {};
  return { kind: "binary", operator, left, right, ...named, ...place };
};

const typeOfTest = (
  node: ts.BinaryExpression,
): { readonly value: ts.Expression; readonly is: string } | undefined => {
  if (!/^[=!]==?$/.test(ts.tokenToString(node.operatorToken.kind) ?? "")) return undefined;
  const [test, name] = ts.isTypeOfExpression(node.left) ? [node.left, node.right] : [node.right, node.left];
  return ts.isTypeOfExpression(test) && ts.isStringLiteralLike(name)
    ? { value: test.expression, is: name.text }
    : undefined;
};

const arithmetic: readonly string[] = ["+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"];
export const isArithmetic = (operator: string): operator is Arithmetic => arithmetic.includes(operator);
const comparisons: readonly string[] = ["===", "!==", "==", "!=", "<", "<=", ">", ">=", "in"];
const isOperator = (operator: string): operator is BinaryOperator =>
  isArithmetic(operator) || comparisons.includes(operator);

const optionsOf = (
  type: ValueType,
  first: Expression,
  second: Expression,
): { readonly whenTrue: Expression; readonly otherwise: Expression } => {
  const [whenTrue, otherwise] = operandsAsLists(type, [first, second]);
  return { whenTrue, otherwise };
};

const sides = (
  type: ValueType,
  first: Expression,
  second: Expression,
): { readonly left: Expression; readonly right: Expression } => {
  const [left, right] = operandsAsLists(type, [first, second]);
  return { left, right };
};
