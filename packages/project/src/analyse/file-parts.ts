import { ts } from "ts-morph";
import { importBindings, namesDefinedBy } from "../node/needed-statements.ts";

/** A range of lines: the first and the last, from 1. */
export type Lines = readonly [first: number, last: number];

/** A part of a file, and everything in the file that may affect its types. */
export interface FilePart {
  /** The lines that the part depends on, in the file's order. */
  readonly needed: readonly Lines[];
  /** The text that the part depends on, regardless of its position and of the rest of the file. */
  readonly text: string;
}

/** A file in parts: its top-level statements, grouped with those on the same lines. */
export interface FileParts {
  readonly lines: readonly Lines[];
  readonly textOf: (lines: Lines) => string;
  readonly partAt: (lines: Lines) => FilePart;
  /** The file's text, reduced to the dependencies of these parts. The rest is blank, so positions stay the same. */
  readonly only: (parts: readonly Pick<FilePart, "needed">[]) => string;
}

/** Top-level statements that share lines, with the comments before them. */
interface Group {
  /** The line after the previous group. */
  readonly from: number;
  /** Without blank lines at the beginning. */
  readonly lines: Lines;
  readonly nodes: readonly ts.Statement[];
  /** All identifiers in the part except property names; some of them may not come from outside the part. */
  readonly names: ReadonlySet<string>;
  /** Whether every part depends on this one. */
  readonly stays: boolean;
}

/**
 * Divides a module into parts. A part depends on the declarations of all names in it, recursively, on imports, exports,
 * interfaces and types, and on declarations with code that branches while the file is loaded.
 * @returns undefined if a statement might affect others without naming them, because the file can then only be analysed
 * as a whole.
 */
export const splitFile = (path: string, text: string): FileParts | undefined => {
  if (!/\.[cm]?ts$/.test(path) || /\.d\.[cm]?ts$/.test(path) || /@ts-[a-z]/.test(text)) return undefined;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  if (!file.statements.some((node) => ts.isImportDeclaration(node))) return undefined;
  if (!file.statements.every(isSeparable)) return undefined;
  const defined = file.statements.flatMap(definedNames);
  if (new Set(defined).size < defined.length) return undefined;
  const starts = file.getLineStarts();
  const header = text.slice(0, file.statements[0]?.getStart(file));
  const textOf = ([first, last]: Lines): string => text.slice(starts[first - 1], starts[last]);
  const groups = groupsOf(file);
  const definers = new Map(
    groups.flatMap((group) => group.nodes.flatMap(definedNames).map((name) => [name, group] as const)),
  );
  const neededBy = (lines: Lines): ReadonlySet<Group> => {
    const found = new Set<Group>();
    const waiting = groups.filter((group) => group.stays || group.lines === lines);
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
      if (found.has(group)) continue;
      found.add(group);
      for (const name of group.names) {
        const definer = definers.get(name);
        if (definer !== undefined) waiting.push(definer);
      }
    }
    return found;
  };
  const partAt = (lines: Lines): FilePart => {
    const found = neededBy(lines);
    const needed = groups.filter((group) => found.has(group));
    const names = new Set(needed.flatMap((group) => [...group.names]));
    const texts = needed.map(
      (group) => importedText(file, group.nodes, names) ?? textOf(group.lines).trimEnd(),
    );
    return {
      needed: needed.map(({ lines }) => lines),
      text: JSON.stringify([header, needed.findIndex((group) => group.lines === lines), ...texts]),
    };
  };
  return {
    lines: groups.map(({ lines }) => lines),
    textOf,
    partAt,
    only: (parts) => {
      const kept = new Set(parts.flatMap(({ needed }) => needed.map(([first]) => first)));
      return groups
        .map((group) => {
          const whole = textOf([group.from, group.lines[1]]);
          return group.stays || kept.has(group.lines[0]) ? whole : `;${whole.replaceAll(withinLines, "")}`;
        })
        .join("");
    },
  };
};

const withinLines = /[^\r\n\u2028\u2029]/g;

const groupsOf = (file: ts.SourceFile): readonly Group[] => {
  const starts = file.getLineStarts();
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const made: { first: number; last: number; nodes: ts.Statement[] }[] = [];
  for (const node of file.statements) {
    const comments = ts.getTrailingCommentRanges(file.text, node.end) ?? [];
    const last = lineOf(Math.max(node.end, ...comments.map(({ end }) => end)));
    const before = made.at(-1);
    if (before !== undefined && lineOf(node.getStart(file)) <= before.last) {
      before.nodes.push(node);
      before.last = Math.max(before.last, last);
    } else made.push({ first: (before?.last ?? 0) + 1, last, nodes: [node] });
  }
  const end = made.at(-1);
  if (end !== undefined) end.last = starts.length;
  const isBlank = (line: number): boolean => file.text.slice(starts[line - 1], starts[line]).trim() === "";
  const firstFrom = (line: number): number => (isBlank(line) ? firstFrom(line + 1) : line);
  return made.map(({ first, last, nodes }, index) => ({
    from: first,
    lines: [firstFrom(first), last],
    nodes,
    names: namesIn(nodes),
    // A comment before the first statement may apply to the whole file.
    stays: index === 0 || nodes.some((node) => !isDeclaration(node) || runs(node, isBranch)),
  }));
};

const namesIn = (nodes: readonly ts.Node[]): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    else if (ts.isPropertyAccessExpression(node)) visit(node.expression);
    else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) visit(node.initializer);
    // A list of exports has no effect on the module itself.
    else if (!ts.isExportDeclaration(node) && !ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  nodes.forEach(visit);
  return names;
};

/** Whether every part depends on a statement, or it can only affect code that contains its names. */
const isSeparable = (node: ts.Statement): boolean => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (imports(node)) return false;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node))
    return true;
  if (ts.isFunctionDeclaration(node)) return node.name !== undefined && node.body !== undefined;
  if (ts.isClassDeclaration(node)) return node.name !== undefined && !runs(node, mayNarrow);
  return (
    ts.isVariableStatement(node) &&
    isConstant(node.declarationList) &&
    node.declarationList.declarations.every(
      ({ initializer }) => initializer !== undefined && !isEmptyList(initializer),
    ) &&
    !runs(node, mayNarrow)
  );
};

const isDeclaration = (node: ts.Statement): boolean =>
  ts.isVariableStatement(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isEnumDeclaration(node);

/** The names that a statement defines, including types. */
const definedNames = (node: ts.Statement): readonly string[] =>
  ts.isImportDeclaration(node) ? importBindings(node).map(({ name }) => name.text) : namesDefinedBy(node);

/** The type of a variable that starts as an empty list depends on the values that are added to it. */
const isEmptyList = (node: ts.Expression): boolean =>
  ts.isParenthesizedExpression(node)
    ? isEmptyList(node.expression)
    : ts.isArrayLiteralExpression(node) && node.elements.length === 0;

type Test = (node: ts.Node) => boolean;

/** Whether a statement contains a node that passes the test, not counting nodes in functions, which run later. */
const runs = (statement: ts.Node, test: Test): boolean => {
  const visit = (node: ts.Node): boolean =>
    test(node) ||
    (!ts.isFunctionLike(node) && (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false));
  return visit(statement);
};

/** Whether code after the node may see different types, regardless of the names in the node. */
const mayNarrow: Test = (node) => {
  if (
    ts.isDeleteExpression(node) ||
    ts.isPostfixUnaryExpression(node) ||
    ts.isClassStaticBlockDeclaration(node)
  )
    return true;
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const { CommaToken, FirstAssignment, LastAssignment } = ts.SyntaxKind;
    return kind === CommaToken || (kind >= FirstAssignment && kind <= LastAssignment);
  }
  // A function expression that is called immediately.
  return ts.isCallExpression(node) && isFunction(node.expression);
};

const isFunction: Test = (node) =>
  ts.isParenthesizedExpression(node) ? isFunction(node.expression) : ts.isFunctionLike(node);

/** Whether an expression or a type in the node imports a module, which may have global declarations. */
const imports: Test = (node) =>
  ts.isImportTypeNode(node) ||
  node.kind === ts.SyntaxKind.ImportKeyword ||
  (ts.forEachChild(node, (child) => imports(child) || undefined) ?? false);

/** After such code, a variable's type is the union of its types on both paths. */
const isBranch: Test = (node) =>
  ts.isConditionalExpression(node) ||
  ts.isOptionalChain(node) ||
  (ts.isBinaryExpression(node) && /^(?:&&|\|\||\?\?)$/.test(ts.tokenToString(node.operatorToken.kind) ?? ""));

/** The import, reduced to the names that are used; undefined for other statements. */
const importedText = (
  file: ts.SourceFile,
  nodes: readonly ts.Statement[],
  names: ReadonlySet<string>,
): string | undefined => {
  const [node] = nodes;
  if (node === undefined || nodes.length > 1 || !ts.isImportDeclaration(node)) return undefined;
  const { importClause, moduleSpecifier, attributes } = node;
  const { namedBindings } = importClause ?? {};
  if (importClause === undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings))
    return undefined;
  const elements = namedBindings.elements.filter(({ name }) => names.has(name.text));
  return JSON.stringify([
    importClause.phaseModifier ?? 0,
    importClause.name?.text ?? "",
    ...elements.map((element) => element.getText(file)),
    moduleSpecifier.getText(file),
    attributes?.getText(file) ?? "",
  ]);
};

/** `const`, not `let`, `var` or `using`. */
const isConstant = ({ flags }: ts.VariableDeclarationList): boolean => {
  const keyword: ts.NodeFlags = flags & ts.NodeFlags.BlockScoped;
  return keyword === ts.NodeFlags.Const;
};
