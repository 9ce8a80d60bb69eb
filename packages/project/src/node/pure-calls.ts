import * as dsl from "@tritype/dsl";
import { ts } from "ts-morph";
import { blanked } from "./needed-statements.ts";
import { definers, isOfTritype } from "./stand-ins.ts";

/**
 * Marks calls to Tritype's functions as pure for esbuild, so that the bundle omits code that only these calls
 * use. esbuild supports this only for functions in the same file, so each import becomes a function at the
 * end of the text. Lines and columns stay the same.
 * @param isDefining Whether the file defines the step; if so, `step` is left unchanged.
 */
export const withPureCalls = (path: string, text: string, isDefining: boolean): string => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports = file.statements.flatMap((node) => {
    const clause = ts.isImportDeclaration(node) ? node.importClause : undefined;
    const names = clause?.namedBindings;
    return ts.isImportDeclaration(node) &&
      names !== undefined &&
      ts.isNamedImports(names) &&
      isOfTritype((node.moduleSpecifier as ts.StringLiteral).text)
      ? names.elements.map((element) => ({ element, from: node.moduleSpecifier.getText(file) }))
      : [];
  });
  const replaced = imports.filter(({ element }) => {
    const imported = importedName(element);
    return !element.isTypeOnly && isFunction(imported) && !(isDefining && definers.includes(imported));
  });
  const others = replaced.reduce((rest, { element }) => {
    const comma = /^\s*,/.exec(text.slice(element.getEnd()))?.[0].length ?? 0;
    return blanked(rest, element.getStart(file), element.getEnd() + comma);
  }, text);
  return [
    others,
    ...replaced.flatMap(({ element, from }) => {
      const name = element.name.text;
      return [
        `import { ${importedName(element)} as ${name}_of_tritype } from ${from};`,
        `/* @__NO_SIDE_EFFECTS__ */ function ${name}(options) { return ${name}_of_tritype(options); }`,
      ];
    }),
  ].join("\n");
};

const importedName = ({ propertyName, name }: ts.ImportSpecifier): string => (propertyName ?? name).text;

const isFunction = (name: string): boolean =>
  typeof Reflect.get(dsl, name) === "function" || definers.includes(name);
