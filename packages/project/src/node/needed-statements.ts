import { isBuiltin } from "node:module";
import { ts } from "ts-morph";
import { boundNames, type Reference, referencesIn } from "./references.ts";
import { isOfTritype } from "./stand-ins.ts";

/** A top-level statement of a file. */
interface Statement {
  readonly node: ts.Statement;
  /** The names that the statement defines in the file. */
  readonly defines: readonly string[];
  /** The names in the file that the statement uses. */
  readonly uses: readonly Reference[];
  /** Names whose values it may change. The statement is kept if one of them is needed. */
  readonly changes: readonly string[];
  /**
   * The modules whose functions the statement calls without using the result: package names, or `"."` for the project.
   */
  readonly calledModules: readonly string[];
  /** Whether the statement is always kept, because it contains only types or affects more than this file. */
  readonly stays: boolean;
}

/**
 * Replaces the top-level statements that a step does not need with spaces, so that lines and columns stay the same. It
 * keeps the statement that defines the step, those that define the names it uses, and those that may change the values
 * of such names, like `dayjs.extend(utc)` or `fillTables()`.
 * @param line The line with the call to `step`, from 1. @returns undefined if a function contains the call to `step`,
 * so that any statement may call it; or if there is JSX, which uses names that do not appear in the source.
 */
export const keepNeeded = (path: string, source: string, line: number): string | undefined => {
  if (/\.[jt]sx$/.test(path)) return undefined;
  const text = withoutUses(path, source, line);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const defining = file.statements.filter((node) => definesAt(file, node, line));
  if (defining.length === 0) return undefined;
  const imports = importedNames(file);
  const statements = describe(file, imports);
  const needed = new Set<string>();
  const modules = new Set<string>();
  const kept = new Set<Statement>();
  const keep = (statement: Statement): void => {
    kept.add(statement);
    for (const { name } of statement.uses) needed.add(name);
    for (const { name } of statement.uses)
      for (const found of moduleOf(imports.get(name))) modules.add(found);
  };
  const isNeeded = ({ defines, changes, calledModules }: Statement): boolean =>
    [...defines, ...changes].some((name) => needed.has(name)) ||
    calledModules.some((called) => modules.has(called) || (called === "." && modules.size > 0));
  for (const statement of statements)
    if (statement.stays || defining.includes(statement.node)) keep(statement);
  for (let before = -1; before < kept.size; ) {
    before = kept.size;
    for (const statement of statements) if (!kept.has(statement) && isNeeded(statement)) keep(statement);
  }
  return statements
    .filter((statement) => !kept.has(statement))
    .reduce((rest, { node }) => blanked(rest, node.getStart(file), node.getEnd()), text);
};

/**
 * Leaves out the steps that a flow lists in `uses: { … }`, because its function gets its callees as arguments and does not need their
 * definitions.
 */
const withoutUses = (path: string, text: string, line: number): string => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports = importedNames(file);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const usesIn = (node: ts.Node): ts.ObjectLiteralExpression | undefined => {
    const [options] = ts.isCallExpression(node) ? node.arguments : [];
    if (
      ts.isCallExpression(node) &&
      lineOf(node.expression.getEnd()) === line &&
      isOfTritype(imports.get(rootOf(node.expression) ?? "") ?? "") &&
      options !== undefined &&
      ts.isObjectLiteralExpression(options)
    )
      for (const property of options.properties)
        if (
          ts.isPropertyAssignment(property) &&
          property.name.getText(file) === "uses" &&
          ts.isObjectLiteralExpression(property.initializer)
        )
          return property.initializer;
    return ts.forEachChild(node, usesIn);
  };
  const uses = usesIn(file);
  return uses === undefined ? text : blanked(text, uses.getStart(file) + 1, uses.getEnd() - 1);
};

/** The text with spaces in a range, so that lines and columns stay the same. */
export const blanked = (text: string, from: number, to: number): string =>
  text.slice(0, from) + text.slice(from, to).replaceAll(/[^\r\n\u2028\u2029]/g, " ") + text.slice(to);

/** Whether a statement has a call on this line that runs while the file is loaded. */
const definesAt = (file: ts.SourceFile, statement: ts.Statement, line: number): boolean => {
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const isThere = (node: ts.Node): boolean => {
    if (lineOf(node.getFullStart()) > line || lineOf(node.getEnd()) < line) return false;
    if (ts.isFunctionLike(node) && !runsInPlace(node)) return false;
    if (ts.isCallExpression(node) && lineOf(node.expression.getEnd()) === line) return true;
    return ts.forEachChild(node, (child) => isThere(child) || undefined) ?? false;
  };
  return isThere(statement);
};

/** Whether a function is called where it is written, or is an argument: `names.map((name) => step({ name, … }))`. */
const runsInPlace = (node: ts.Node): boolean => {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return runsInPlace(parent);
  return ts.isCallExpression(parent) || ts.isNewExpression(parent);
};

/** The module of an import, if its state may matter; undefined for Node's own modules and for Tritype. */
const moduleOf = (specifier: string | undefined): readonly string[] => {
  if (specifier === undefined || isBuiltin(specifier) || isOfTritype(specifier)) return [];
  return [
    specifier.startsWith(".") ? "." : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"),
  ];
};

const describe = (file: ts.SourceFile, imports: ReadonlyMap<string, string>): readonly Statement[] => {
  const isInert = (call: ts.CallExpression): boolean =>
    isOfTritype(imports.get(rootOf(call.expression) ?? "") ?? "");
  const read = file.statements.map((node) => ({
    node,
    defines: namesDefinedBy(node),
    references: referencesIn(node, isInert),
  }));
  const own = new Set(read.flatMap(({ defines }) => defines));
  const reached = reachedNames(read);
  return read.map(({ node, defines, references }) => {
    const isAction = !isDeclaration(node);
    const acts =
      isAction || ((ts.isVariableStatement(node) || ts.isClassDeclaration(node)) && calls(node, isInert));
    const mayChange = (name: string): boolean =>
      isAction ? !isBuiltin(imports.get(name) ?? name) : !imports.has(name);
    return {
      node,
      defines,
      uses: references.filter(({ name }) => own.has(name)),
      changes: [
        ...(acts ? [...reached(references)].filter(mayChange) : []),
        ...references.filter(({ isTarget }) => isAction && isTarget).map(({ name }) => name),
      ],
      calledModules: [...reached(calledIn(node))].flatMap((name) => moduleOf(imports.get(name))),
      stays:
        staysAnyway(node) ||
        (isAction && references.some(({ name, isTarget }) => isTarget && isGlobal(name, own))),
    };
  });
};

/** The names that a statement may reach when it runs, directly and through functions. Arguments of inert calls do not count. */
const reachedNames = (
  statements: readonly { readonly defines: readonly string[]; readonly references: readonly Reference[] }[],
): ((references: readonly Reference[]) => ReadonlySet<string>) => {
  const live = (references: readonly Reference[]): readonly string[] =>
    references.flatMap(({ name, isInert }) => (isInert ? [] : [name]));
  const next = new Map<string, readonly string[]>();
  for (const { defines, references } of statements)
    for (const name of defines) next.set(name, [...(next.get(name) ?? []), ...live(references)]);
  return (references) => {
    const names = new Set(live(references));
    for (const name of names) for (const other of next.get(name) ?? []) names.add(other);
    return names;
  };
};

/** The function that a statement such as `fill();` or `await tables.fill();` calls. */
const calledIn = (node: ts.Statement): readonly Reference[] => {
  if (!ts.isExpressionStatement(node)) return [];
  const { expression } = node;
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
  const name = ts.isCallExpression(call) ? rootOf(call.expression) : undefined;
  return name === undefined ? [] : [{ name, isTarget: false, isInert: false }];
};

/** Whether a declaration calls a function other than Tritype's while the file is loaded. */
const calls = (node: ts.Node, isInert: (call: ts.CallExpression) => boolean): boolean => {
  if (ts.isFunctionLike(node) && !runsInPlace(node)) return false;
  if (ts.isCallExpression(node) && isInert(node)) return false;
  if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isTaggedTemplateExpression(node))
    return true;
  return (
    ts.isDecorator(node) || (ts.forEachChild(node, (child) => calls(child, isInert) || undefined) ?? false)
  );
};

/** Type-only imports, and imports without names. */
const staysAnyway = (node: ts.Statement): boolean =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  (ts.isImportDeclaration(node) && node.importClause === undefined) ||
  (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression));

const isDeclaration = (node: ts.Statement): boolean =>
  ts.isVariableStatement(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isEnumDeclaration(node) ||
  ts.isModuleDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isImportEqualsDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isExportAssignment(node);

/** Whether a changed name is global, as in `process.env.TZ = "UTC"`. */
const isGlobal = (name: string, own: ReadonlySet<string>): boolean =>
  !own.has(name) && !/^(?:module|exports)$/.test(name);

/** The names that a statement defines, without those that are only types in imports. */
export const namesDefinedBy = (node: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  if (ts.isImportDeclaration(node)) return namesImportedBy(node);
  if (ts.isExportDeclaration(node) || ts.isExportAssignment(node)) return [];
  const { name } = node as ts.DeclarationStatement;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
};

const namesImportedBy = (node: ts.ImportDeclaration): readonly string[] =>
  node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    ? []
    : importBindings(node)
        .filter(({ isTypeOnly }) => isTypeOnly !== true)
        .map(({ name }) => name.text);

/** Everything that an import binds to a name: the default, the namespace, and individual names. */
export const importBindings = ({
  importClause,
}: ts.ImportDeclaration): readonly { readonly name: ts.Identifier; readonly isTypeOnly?: boolean }[] => {
  const { name, namedBindings } = importClause ?? {};
  const others =
    namedBindings === undefined
      ? []
      : ts.isNamespaceImport(namedBindings)
        ? [namedBindings]
        : namedBindings.elements;
  return [...(name === undefined ? [] : [{ name }]), ...others];
};

/** Imported name → the specifier of its module. */
const importedNames = (file: ts.SourceFile): ReadonlyMap<string, string> =>
  new Map(
    file.statements
      .filter((node) => ts.isImportDeclaration(node))
      .flatMap((node) =>
        namesImportedBy(node).map((name) => [name, (node.moduleSpecifier as ts.StringLiteral).text] as const),
      ),
  );

/** The leftmost name of `a.b(c).d`. */
const rootOf = (node: ts.Expression): string | undefined => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node))
    return rootOf(node.expression);
  return undefined;
};
