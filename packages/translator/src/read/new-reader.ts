import type { Span } from "@tritype/core";
import { ts } from "ts-morph";
import type { Expression } from "../ir/code.ts";
import { kindOf, typeOfKind, unknown, type ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { refusedType, type Refusals } from "../refusals/refusals.ts";
import type { ModuleNames } from "./module-names.ts";
import { checkFit } from "./check-fit.ts";
import { isMatchAtOnce, textsOrNull } from "./read-chain.ts";
import { readExpression } from "./read-expression.ts";
import { readLambda } from "./read-lambda.ts";
import { readPattern } from "./read-pattern.ts";
import { readEffect, readStatements } from "./read-statement.ts";
import type { NamedNode, Reader } from "./reader.ts";
import { newValueTypes } from "./value-type-of.ts";
import { symbolOf } from "./symbol-of.ts";

export interface ReaderSources {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly placeOf: (node: ts.Node) => Span;
}

/** Places in the user's code that the emitted JavaScript must change. */
export interface Notes {
  /** Calls of `JSON.parse` and the types that their results are asserted to have. */
  readonly parses: Map<ts.CallExpression, ValueType>;
  /** Members of enums and their values. */
  readonly members: Map<ts.Expression, string | number>;
  /** Places where a property of a record is read with a string key; the id is the position. */
  readonly named: NamedNode[];
  /** Names of properties that a record may lack, although its type has them, because of an `as`. */
  readonly lacking: Set<string>;
}

/** Each type of a program is read once and shared by all of its functions. */
const valueTypes = new WeakMap<ts.TypeChecker, (type: ts.Type) => ValueType>();

/** Converts the types of a program. */
export const valueTypesOf = ({
  program,
  checker,
}: Pick<ReaderSources, "program" | "checker">): ((type: ts.Type) => ValueType) => {
  const types = valueTypes.get(checker) ?? newValueTypes(checker, libraryOf(program));
  valueTypes.set(checker, types);
  return types;
};

const libraryOf =
  (program: ts.Program) =>
  (symbol: ts.Symbol): boolean =>
    symbol.declarations?.some((declaration) =>
      program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
    ) ?? false;

/**
 * Creates a reader of functions. `notes`: collects information that the emitted JavaScript needs. `makeNames`: creates the
 * names of the surrounding module, which use the reader.
 */
export const newReader = (
  { program, checker, placeOf }: ReaderSources,
  refusals: Refusals,
  notes: Notes,
  makeNames: (reader: Reader) => ModuleNames,
): Reader => {
  const locals = new Map<ts.Symbol, Variable>();
  const aliases = new Map<ts.Symbol, Expression>();
  const isLibrary = libraryOf(program);
  const types = valueTypesOf({ program, checker });
  const reader: Reader = {
    checker,
    at: (node) => placeOf(original(node)),
    typeOf: (node) => types(checker.getTypeAtLocation(node)),
    resultOf(node) {
      const signature = checker.getSignatureFromDeclaration(node);
      return signature === undefined ? unknown : types(checker.getReturnTypeOfSignature(signature));
    },
    refuse(node, ...refusal) {
      const at = reader.at(node);
      refusals.refuse(at, ...refusal);
      return { kind: "refused", type: typeOfKind("unknown", { text: refusedType }), at };
    },
    expression: (node, scope) => checkFit(reader, node, readExpression(reader, node, scope), isLibrary),
    mayLack(name) {
      notes.lacking.add(name);
    },
    statements: (nodes, scope) => readStatements(reader, nodes, scope),
    effect: (node, scope) => readEffect(reader, node, scope),
    lambda: (node, scope) => readLambda(reader, node, scope),
    pattern: (node, scope, kind) => readPattern(reader, node, scope, kind),
    parsed(call, value, type) {
      const bare = unwrapped(call);
      if (ts.isCallExpression(bare)) notes.parses.set(bare, type);
      return { ...value, type };
    },
    alias(name, value) {
      const symbol = checker.getSymbolAtLocation(name);
      if (symbol !== undefined) aliases.set(symbol, value);
    },
    enumMember(node) {
      if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return undefined;
      const name = ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
      const member = checker.getSymbolAtLocation(name)?.valueDeclaration;
      const value =
        member !== undefined && ts.isEnumMember(member) ? checker.getConstantValue(member) : undefined;
      if (value === undefined) return undefined;
      notes.members.set(node, value);
      const place = { type: reader.typeOf(node), at: reader.at(node) };
      return typeof value === "string" ? { kind: "text", value, ...place } : numberOf(value, place);
    },
    namedRead(node, object) {
      notes.named.push(node);
      return { id: notes.named.length - 1, steady: isSteady(object), chained: ts.isOptionalChain(node) };
    },
    declare(name, scope, kind) {
      const symbol = checker.getSymbolAtLocation(name);
      const known = symbol && locals.get(symbol);
      if (known !== undefined) return known;
      const variable: Variable = {
        name: name.text,
        kind,
        scope,
        type: isReplaced(name)
          ? typeOfKind("string")
          : ts.isVariableDeclaration(name.parent) && isMatchAtOnce(reader, name.parent.initializer)
            ? textsOrNull
            : variableType(reader.typeOf(name), kind),
      };
      if (symbol !== undefined) locals.set(symbol, variable);
      return variable;
    },
    name(node) {
      const symbol = symbolOf(checker, node);
      const local = symbol && locals.get(symbol);
      if (local !== undefined) return variableAt(local, reader.at(node));
      const alias = symbol && aliases.get(symbol);
      if (alias !== undefined) return alias;
      if (node.text === "undefined" && (symbol?.declarations ?? []).length === 0)
        return { kind: "constant", value: "undefined", type: reader.typeOf(node), at: reader.at(node) };
      return names.resolve(node, symbol);
    },
    declarationOf: (node) => symbolOf(checker, node)?.valueDeclaration,
    member(node) {
      const object = ts.isIdentifier(node.expression)
        ? checker.getSymbolAtLocation(node.expression)
        : undefined;
      if (object?.declarations?.some(ts.isNamespaceImport) !== true || !ts.isIdentifier(node.name))
        return undefined;
      return names.resolve(node.name, symbolOf(checker, node.name));
    },
  };
  const names = makeNames(reader);
  return reader;
};

/** A number as an expression, in which a negative number is a negation. */
const numberOf = (value: number, place: Pick<Expression, "type" | "at">): Expression =>
  value < 0
    ? { kind: "unary", operator: "-", operand: { kind: "number", value: -value, ...place }, ...place }
    : { kind: "number", value, ...place };

/** Whether the expression is a name or a chain of properties, which can be read twice. */
const isSteady = (node: ts.Expression): boolean =>
  ts.isIdentifier(node) ||
  ((ts.isPropertyAccessExpression(node) || ts.isNonNullExpression(node)) && isSteady(node.expression));

const unwrapped = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) ? unwrapped(node.expression) : node;

/** Whether a name is an untyped parameter of a replacement function, which is the match or one of its groups. */
const isReplaced = ({ parent }: ts.Identifier): boolean =>
  ts.isParameter(parent) &&
  parent.type === undefined &&
  parent.initializer === undefined &&
  parent.dotDotDotToken === undefined &&
  ts.isCallExpression(parent.parent.parent) &&
  ts.isPropertyAccessExpression(parent.parent.parent.expression) &&
  /^replace(?:All)?$/.test(parent.parent.parent.expression.name.text);

/** The type of a variable; a caught value is an error because nothing else is thrown. */
const variableType = (type: ValueType, kind: Variable["kind"]): ValueType =>
  kind === "caught" && kindOf(type) === "unknown" ? typeOfKind("error") : type;

const variableAt = (variable: Variable, at: Span): Expression => ({
  kind: "variable",
  variable,
  type: variable.type,
  at,
});

/** The user's own node, because a statement that the reader creates around an expression has no position. */
const original = (node: ts.Node): ts.Node =>
  node.pos < 0 && ts.isExpressionStatement(node) ? node.expression : node;
