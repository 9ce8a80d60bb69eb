import { ts } from "ts-morph";

/** A name that code uses and does not define itself. */
export interface Reference {
  readonly name: string;
  /** Whether the code changes the name or its content: `name.x = 1`, `delete name[i]`, `Object.assign(name, …)`. */
  readonly isTarget: boolean;
  /** Whether the name is in a call that has no effect while the file is loaded. */
  readonly isInert: boolean;
}

/** The names from outside that a statement uses. Types and names of properties do not count. */
export const referencesIn = (
  statement: ts.Node,
  isInertCall: (call: ts.CallExpression) => boolean,
): readonly Reference[] => {
  const found: Reference[] = [];
  const visit = (node: ts.Node, hidden: ReadonlySet<string>, isOuterInert: boolean): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isHeritageClause(node) && node.token === ts.SyntaxKind.ImplementsKeyword) return;
    if (ts.isIdentifier(node)) {
      if (isReference(node) && !hidden.has(node.text))
        found.push({ name: node.text, isTarget: isTarget(node), isInert: isOuterInert });
      return;
    }
    const names = namesWithin(node);
    const inside = names.length === 0 ? hidden : new Set([...hidden, ...names]);
    const isInert = isOuterInert || (ts.isCallExpression(node) && isInertCall(node));
    ts.forEachChild(node, (child) => visit(child, inside, isInert));
  };
  visit(statement, new Set(), false);
  return found;
};

/** Whether an identifier is a use of a variable, rather than a property or a definition. */
const isReference = (node: ts.Identifier): boolean => {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isExportSpecifier(parent)) return (parent.propertyName ?? parent.name) === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent) || ts.isParameter(parent))
    return parent.initializer === node;
  if (ts.isPropertyDeclaration(parent)) return parent.initializer === node;
  const { name } = parent as { readonly name?: ts.Node };
  return name !== node && !ts.isImportSpecifier(parent) && !ts.isNamespaceImport(parent);
};

/** Names that a node declares for the code inside it: parameters, and declarations of a block. */
const namesWithin = (node: ts.Node): readonly string[] => {
  if (ts.isFunctionLike(node))
    return [...node.parameters.flatMap(({ name }) => boundNames(name)), ...ownName(node)];
  if (ts.isClassExpression(node)) return ownName(node);
  if (ts.isBlock(node) || ts.isModuleBlock(node)) return node.statements.flatMap((inner) => declared(inner));
  if (ts.isCaseBlock(node))
    return node.clauses.flatMap(({ statements }) => statements.flatMap((inner) => declared(inner)));
  if (ts.isCatchClause(node) && node.variableDeclaration !== undefined)
    return boundNames(node.variableDeclaration.name);
  if (ts.isForStatement(node) || ts.isForInStatement(node) || ts.isForOfStatement(node)) {
    const { initializer } = node;
    return initializer !== undefined && ts.isVariableDeclarationList(initializer)
      ? initializer.declarations.flatMap(({ name }) => boundNames(name))
      : [];
  }
  return [];
};

const declared = (statement: ts.Statement): readonly string[] =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
    : ts.isFunctionDeclaration(statement) ||
        ts.isClassDeclaration(statement) ||
        ts.isEnumDeclaration(statement)
      ? ownName(statement)
      : [];

const ownName = ({ name }: { readonly name?: ts.Node }): readonly string[] =>
  name !== undefined && ts.isIdentifier(name) ? [name.text] : [];

/** The names of a declared variable, which may be a pattern. */
export const boundNames = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));

/** Whether an expression changes a name or something inside it. */
const isTarget = (node: ts.Expression): boolean => {
  const { parent } = node;
  if (
    (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) &&
    parent.expression === node
  )
    return isTarget(parent);
  if (ts.isBinaryExpression(parent))
    return (
      parent.left === node &&
      parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment
    );
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent))
    return (
      parent.operator === ts.SyntaxKind.PlusPlusToken || parent.operator === ts.SyntaxKind.MinusMinusToken
    );
  if (ts.isCallExpression(parent) && parent.arguments[0] === node)
    return /^(?:Object\.(?:assign|define\w+|setPrototypeOf)|Reflect\.(?:set|define\w+|setPrototypeOf))$/.test(
      parent.expression.getText(),
    );
  if (ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent) || ts.isAsExpression(parent))
    return isTarget(parent);
  return ts.isDeleteExpression(parent);
};
