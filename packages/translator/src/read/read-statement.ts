import { ts } from "ts-morph";
import type { Expression, Pattern, Statement } from "../ir/code.ts";
import { isAlways, kindOf, typeOfKind } from "../ir/value-type.ts";
import { type Scope, scopeIn, type Variable } from "../ir/variable.ts";
import { commentsBefore } from "./comments.ts";
import { isArithmetic, isParse } from "./read-expression.ts";
import { readTarget } from "./read-pattern.ts";
import { readMatchLoop } from "./read-match-loop.ts";
import { readSwitch } from "./read-switch.ts";
import type { Reader } from "./reader.ts";

type Does = Statement["does"];

/** Reads the statements of a block. Functions declared in it come first, because JavaScript hoists them. */
export const readStatements = (
  reader: Reader,
  nodes: readonly ts.Statement[],
  scope: Scope,
): readonly Statement[] => {
  const functions = nodes.filter(ts.isFunctionDeclaration);
  for (const { name } of functions) if (name !== undefined) reader.declare(name, scope, "const");
  const others = nodes.filter((node) => !ts.isFunctionDeclaration(node));
  return [...functions, ...others].flatMap((node) => {
    const comments = commentsBefore(node);
    return readStatement(reader, node, scope).map(
      (does, index): Statement => ({
        at: reader.at(ts.isExpressionStatement(node) ? node.expression : node),
        comments: index === 0 ? comments : [],
        does,
      }),
    );
  });
};

const readStatement = (reader: Reader, node: ts.Statement, scope: Scope): readonly Does[] => {
  const inside = (expression: ts.Expression): Expression => reader.expression(expression, scope);
  const block = (inner: ts.Statement, kind: Scope["kind"] = "block"): readonly Statement[] =>
    reader.statements(statementsIn(inner), scopeIn(scope, kind));
  if (ts.isVariableStatement(node)) return readDeclarations(reader, node.declarationList, scope);
  if (ts.isExpressionStatement(node)) return readEffect(reader, node.expression, scope);
  if (ts.isReturnStatement(node))
    return [{ kind: "return", value: node.expression && inside(node.expression) }];
  if (ts.isIfStatement(node))
    return [
      {
        kind: "if",
        test: inside(node.expression),
        whenTrue: block(node.thenStatement),
        otherwise: node.elseStatement === undefined ? [] : block(node.elseStatement),
      },
    ];
  if (ts.isForOfStatement(node)) return [readForOf(reader, node, scope)];
  if (ts.isForInStatement(node)) return readForIn(reader, node, scope);
  if (ts.isForStatement(node)) return [readFor(reader, node, scope)];
  if (ts.isWhileStatement(node))
    return [
      readMatchLoop(reader, node, scope) ?? {
        kind: "while",
        test: inside(node.expression),
        body: block(node.statement, "loop"),
      },
    ];
  if (ts.isLabeledStatement(node)) return readLabelled(reader, node, scope);
  if (ts.isDoStatement(node))
    return [{ kind: "do", test: inside(node.expression), body: block(node.statement, "loop") }];
  if (ts.isSwitchStatement(node)) return [readSwitch(reader, node, scope)];
  if (ts.isBreakStatement(node) || ts.isContinueStatement(node)) {
    const kind = ts.isBreakStatement(node) ? "break" : "continue";
    return [node.label === undefined ? { kind } : { kind, label: node.label.text }];
  }
  if (ts.isThrowStatement(node)) return [{ kind: "throw", value: inside(node.expression) }];
  if (ts.isTryStatement(node)) return [readTry(reader, node, scope)];
  if (ts.isBlock(node)) return [{ kind: "block", body: block(node) }];
  if (ts.isFunctionDeclaration(node)) return readLocalFunction(reader, node, scope);
  if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isEmptyStatement(node))
    return [];
  reader.refuse(
    node,
    "function/syntax",
    statementNames[node.kind] ?? ts.SyntaxKind[node.kind],
    insteadOf[node.kind],
  );
  return [];
};

const statementsIn = (body: ts.Statement): readonly ts.Statement[] =>
  ts.isBlock(body) ? body.statements : [body];

const statementNames: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.ClassDeclaration]: "a class",
  [ts.SyntaxKind.EnumDeclaration]: "an enum",
};
const insteadOf: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.ClassDeclaration]: "records and functions",
  [ts.SyntaxKind.EnumDeclaration]: "a `const` record, or strings",
};

const readDeclarations = (
  reader: Reader,
  list: ts.VariableDeclarationList,
  scope: Scope,
): readonly Does[] => {
  if ((list.flags & ts.NodeFlags.BlockScoped) === 0)
    reader.refuse(list, "function/syntax", "`var`", "`let` or `const`");
  const kind: Variable["kind"] = list.flags & ts.NodeFlags.Const ? "const" : "let";
  return list.declarations.flatMap(({ name, initializer, type }): readonly Does[] => {
    if (kind === "const" && initializer !== undefined && ts.isRegularExpressionLiteral(initializer)) {
      if (ts.isIdentifier(name)) reader.alias(name, reader.expression(initializer, scope));
      return [];
    }
    const named =
      initializer !== undefined &&
      (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)) &&
      ts.isIdentifier(name);
    if (named && kind === "const") {
      const variable = reader.declare(name, scope, kind);
      return [{ kind: "function", variable, lambda: reader.lambda(initializer, scope) }];
    }
    const read = initializer && reader.expression(initializer, scope);
    if (read?.kind === "refused" && ts.isIdentifier(name)) {
      reader.alias(name, read);
      return [];
    }
    const value =
      read !== undefined && initializer !== undefined && type !== undefined && isParse(read)
        ? reader.parsed(initializer, read, reader.typeOf(name))
        : read;
    if (value !== undefined && kindOf(value.type) === "iterator" && ts.isIdentifier(name))
      reader.refuse(initializer ?? name, "function/iterator", "an iterator kept in a variable");
    return [{ kind: "declare", pattern: reader.pattern(name, scope, kind), value }];
  });
};

const readLocalFunction = (reader: Reader, node: ts.FunctionDeclaration, scope: Scope): readonly Does[] => {
  if (node.name === undefined) return [];
  const variable = reader.declare(node.name, scope, "const");
  return [{ kind: "function", variable, lambda: reader.lambda(node, scope) }];
};

/** Reads an expression as a statement. */
export const readEffect = (reader: Reader, node: ts.Expression, scope: Scope): readonly Does[] => {
  if (ts.isParenthesizedExpression(node)) return readEffect(reader, node.expression, scope);
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const by =
      node.operator === ts.SyntaxKind.PlusPlusToken
        ? 1
        : node.operator === ts.SyntaxKind.MinusMinusToken
          ? -1
          : 0;
    if (by !== 0) return [{ kind: "count", target: reader.expression(node.operand, scope), by }];
  }
  if (ts.isDeleteExpression(node))
    return [{ kind: "delete", target: reader.expression(node.expression, scope) }];
  if (ts.isBinaryExpression(node)) {
    const token = ts.tokenToString(node.operatorToken.kind) ?? "";
    if (token === ",")
      return [...readEffect(reader, node.left, scope), ...readEffect(reader, node.right, scope)];
    const assigns =
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
    if (assigns) {
      const operator = token.slice(0, -1);
      const target: Pattern = readTarget(reader, node.left, scope);
      const value = reader.expression(node.right, scope);
      const chained = operator === "" ? assignedBefore(target, value) : undefined;
      if (chained !== undefined) return chained;
      if (operator === "") return [{ kind: "assign", target, operator: undefined, value }];
      if (operator === "??" || operator === "||" || operator === "&&" || isArithmetic(operator))
        return [{ kind: "assign", target, operator, value }];
    }
  }
  return [{ kind: "expression", value: reader.expression(node, scope) }];
};

/** `a = b = c` as two statements. */
const assignedBefore = (target: Pattern, value: Expression): readonly Does[] | undefined => {
  if (value.kind !== "effect" || value.gives !== "new" || target.kind !== "place") return undefined;
  const { does } = value.statement;
  if (does.kind !== "assign" || does.target.kind !== "place") return undefined;
  const [outer, inner] = [target.target, does.target.target];
  return outer.kind === "variable" && inner.kind === "variable"
    ? [does, { kind: "assign", target, operator: undefined, value: inner }]
    : undefined;
};

const readForOf = (reader: Reader, node: ts.ForOfStatement, outer: Scope): Does => {
  if (node.awaitModifier !== undefined) reader.refuse(node, "function/async", "`for await`");
  return readLoopOver(reader, node, outer, reader.expression(node.expression, outer));
};

const readLoopOver = (
  reader: Reader,
  { initializer, statement }: ts.ForOfStatement | ts.ForInStatement,
  outer: Scope,
  iterable: Expression,
): Does => {
  const scope = scopeIn(outer, "loop");
  const pattern: Pattern = ts.isVariableDeclarationList(initializer)
    ? readLoopVariable(reader, initializer, scope)
    : readTarget(reader, initializer, outer);
  const body = reader.statements(statementsIn(statement), scope);
  return { kind: "for of", scope, pattern, iterable, body };
};

const readLoopVariable = (reader: Reader, list: ts.VariableDeclarationList, scope: Scope): Pattern => {
  const [declaration] = list.declarations;
  if (declaration === undefined) throw new Error("a loop without a variable");
  return reader.pattern(declaration.name, scope, list.flags & ts.NodeFlags.Const ? "const" : "let");
};

/** `for (const k in o)` over a record. It visits only own properties, because records inherit no enumerable ones. */
const readForIn = (reader: Reader, node: ts.ForInStatement, outer: Scope): readonly Does[] => {
  const object = reader.expression(node.expression, outer);
  if (object.kind === "refused") return [];
  const refuse = (what: string, instead: string): readonly Does[] => {
    reader.refuse(node, "function/syntax", what, instead);
    return [];
  };
  if (!isAlways(object.type, "record"))
    return refuse(
      `\`for…in\` over \`${object.type.text}\``,
      "`for…of`, over `entries()` if you need the position",
    );
  if (mentions(node.statement, ts.isDeleteExpression))
    return refuse("`delete` within `for…in`", "`for (const k of Object.keys(o))`");
  const iterable: Expression = {
    kind: "invocation",
    row: "Object.keys",
    receiver: undefined,
    args: [{ spread: false, value: object }],
    type: typeOfKind("array", { element: typeOfKind("string") }),
    at: object.at,
  };
  return [readLoopOver(reader, node, outer, iterable)];
};

const mentions = (node: ts.Node, is: (inner: ts.Node) => boolean): boolean =>
  is(node) || ts.forEachChild(node, (child) => mentions(child, is) || undefined) === true;

/** A labelled loop, for `break` and `continue` within it. */
const readLabelled = (reader: Reader, node: ts.LabeledStatement, scope: Scope): readonly Does[] => {
  const [does, ...more] = readStatement(reader, node.statement, scope);
  if (does !== undefined && more.length === 0 && isLoop(does)) return [{ ...does, label: node.label.text }];
  reader.refuse(node, "function/syntax", "a label on a non-loop statement", "a function with `return`");
  return [];
};

const isLoop = (does: Does): does is Does & { readonly kind: "for of" | "for" | "while" | "do" } =>
  does.kind === "for of" || does.kind === "for" || does.kind === "while" || does.kind === "do";

const readFor = (reader: Reader, node: ts.ForStatement, outer: Scope): Does => {
  const scope = scopeIn(outer, "loop");
  const { initializer, condition, incrementor, statement } = node;
  const wrap = (does: Does): Statement => ({ at: reader.at(initializer ?? node), comments: [], does });
  const start =
    initializer === undefined
      ? []
      : ts.isVariableDeclarationList(initializer)
        ? readDeclarations(reader, initializer, scope)
        : readEffect(reader, initializer, scope);
  return {
    kind: "for",
    scope,
    start: start.map(wrap),
    test: condition && reader.expression(condition, scope),
    step: incrementor === undefined ? [] : readEffect(reader, incrementor, scope).map(wrap),
    body: reader.statements(statementsIn(statement), scopeIn(scope, "block")),
  };
};

/** A `return`, or a `break` or `continue` of an outer loop, that leaves a block. */
const jumpOutOf = (block: ts.Node): ts.Node | undefined => {
  const visit = (node: ts.Node, inLoop: boolean): ts.Node | undefined => {
    if (ts.isFunctionLike(node)) return undefined;
    if (ts.isReturnStatement(node)) return node;
    if (ts.isBreakOrContinueStatement(node) && (!inLoop || node.label !== undefined)) return node;
    const inside = inLoop || ts.isIterationStatement(node, false) || ts.isSwitchStatement(node);
    return ts.forEachChild(node, (child) => visit(child, inside));
  };
  return visit(block, false);
};

const readTry = (reader: Reader, node: ts.TryStatement, scope: Scope): Does => {
  const body = reader.statements(node.tryBlock.statements, scopeIn(scope, "block"));
  const { catchClause, finallyBlock } = node;
  const jump = finallyBlock && jumpOutOf(finallyBlock);
  if (jump !== undefined)
    reader.refuse(
      jump,
      "function/syntax",
      "a jump out of `finally`, which discards the error or result before it",
      "a jump after the `try` statement",
    );
  const handler = scopeIn(scope, "block");
  const name = catchClause?.variableDeclaration?.name;
  const caught = name === undefined ? undefined : reader.pattern(name, handler, "caught");
  if (caught !== undefined && caught.kind !== "bind" && name !== undefined)
    reader.refuse(name, "function/syntax", "a pattern in `catch`", "`catch (error)`");
  return {
    kind: "try",
    body,
    caught: caught?.kind === "bind" ? caught.variable : undefined,
    handler: catchClause && reader.statements(catchClause.block.statements, handler),
    always:
      finallyBlock === undefined ? [] : reader.statements(finallyBlock.statements, scopeIn(scope, "block")),
  };
};
