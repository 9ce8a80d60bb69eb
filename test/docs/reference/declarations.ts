import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A property or method of an interface, as declared. */
export interface DeclaredField {
  readonly name: string;
  readonly optional: boolean;
  /** Its type as written, on one line. */
  readonly type: string;
  /** The parameters of a method, `axis, options?`; undefined for a property. */
  readonly parameters: string | undefined;
  /** Its docstring on one line; "" if it has none. */
  readonly doc: string;
}

export interface DeclaredInterface {
  readonly name: string;
  readonly doc: string;
  readonly fields: readonly DeclaredField[];
  /** Interfaces that it extends, by name. */
  readonly bases: readonly string[];
}

/** The exports of `tritype`, by name, read from the packages' sources. */
export interface Declarations {
  readonly interfaces: ReadonlyMap<string, DeclaredInterface>;
  /** Type aliases as written, on one line. */
  readonly aliases: ReadonlyMap<string, { readonly doc: string; readonly type: string }>;
  /** Docstrings of exported functions and constants. */
  readonly values: ReadonlyMap<string, { readonly doc: string; readonly parameters: string }>;
}

/** Parses the DSL's sources without checking types. */
export const readDeclarations = (): Declarations => {
  const interfaces = new Map<string, DeclaredInterface>();
  const aliases = new Map<string, { doc: string; type: string }>();
  const values = new Map<string, { doc: string; parameters: string }>();
  const folder = `${root}packages/dsl/src`;
  for (const file of ts.sys.readDirectory(folder, [".ts"], ["**/*.test.ts"])) {
    const source = ts.createSourceFile(file, ts.sys.readFile(file) ?? "", ts.ScriptTarget.ES2023, true);
    source.forEachChild((node) => {
      if (ts.isInterfaceDeclaration(node)) interfaces.set(node.name.text, declaredInterface(node, source));
      else if (ts.isTypeAliasDeclaration(node))
        aliases.set(node.name.text, { doc: docOf(node), type: oneLine(node.type.getText(source)) });
      else if (ts.isVariableStatement(node))
        for (const declaration of node.declarationList.declarations) {
          const made = declaration.initializer;
          const parameters =
            made !== undefined && ts.isArrowFunction(made) ? parametersOf(made.parameters, source) : "";
          values.set(declaration.name.getText(source), { doc: docOf(node), parameters });
        }
      else if (ts.isFunctionDeclaration(node) && node.name !== undefined && docOf(node) !== "")
        values.set(node.name.text, { doc: docOf(node), parameters: parametersOf(node.parameters, source) });
    });
  }
  return { interfaces, aliases, values };
};

const declaredInterface = (node: ts.InterfaceDeclaration, source: ts.SourceFile): DeclaredInterface => ({
  name: node.name.text,
  doc: docOf(node),
  fields: node.members.flatMap((member): readonly DeclaredField[] => {
    if (!ts.isPropertySignature(member) && !ts.isMethodSignature(member)) return [];
    return [
      {
        name: member.name.getText(source),
        optional: member.questionToken !== undefined,
        type: oneLine(member.type?.getText(source) ?? "unknown"),
        parameters: ts.isMethodSignature(member) ? parametersOf(member.parameters, source) : undefined,
        doc: docOf(member),
      },
    ];
  }),
  bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.flatMap((type) => basesOf(type, source))),
});

/** `Omit<A<T>, "x">` and `Pick<A<T>, "x">` lead to A. */
const basesOf = (type: ts.ExpressionWithTypeArguments, source: ts.SourceFile): readonly string[] => {
  const name = type.expression.getText(source);
  const first = type.typeArguments?.[0];
  if ((name !== "Omit" && name !== "Pick") || first === undefined) return [name];
  return [(ts.isTypeReferenceNode(first) ? first.typeName : first).getText(source)];
};

const parametersOf = (parameters: readonly ts.ParameterDeclaration[], source: ts.SourceFile): string =>
  parameters
    .map(
      ({ name, questionToken, initializer, dotDotDotToken }) =>
        `${dotDotDotToken === undefined ? "" : "..."}${name.getText(source)}${questionToken === undefined && initializer === undefined ? "" : "?"}`,
    )
    .filter((name) => name !== "this")
    .join(", ");

const docOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => oneLine(ts.getTextOfJSDocComment(comment) ?? ""))
    .join(" ");

const oneLine = (text: string): string =>
  text
    .replaceAll(/\/\*\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
