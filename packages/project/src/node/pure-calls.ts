import * as dsl from "@tritype/dsl";
import type { ts as TypeScript } from "ts-morph";
import { isOfTritype } from "./needed-statements.ts";

/** Functions of Tritype that define a step. */
export const definers: readonly string[] = ["step", "batchStep", "flow"];

/**
 * Marks calls to Tritype's functions as pure for esbuild, so that the bundle omits code that only these calls
 * use. esbuild supports this only for functions in the same file, so each import becomes a function at the
 * end of the text. Lines and columns stay the same.
 * @param isDefining Whether the file defines the step; if so, `step` is left unchanged.
 */
export const withPureCalls = (
  ts: typeof TypeScript,
  path: string,
  text: string,
  isDefining: boolean,
): string => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports = file.statements.flatMap((node) => {
    const clause = ts.isImportDeclaration(node) ? node.importClause : undefined;
    const names = clause?.namedBindings;
    return ts.isImportDeclaration(node) &&
      names !== undefined &&
      ts.isNamedImports(names) &&
      isOfTritype((node.moduleSpecifier as TypeScript.StringLiteral).text)
      ? names.elements.map((element) => ({ element, from: node.moduleSpecifier.getText(file) }))
      : [];
  });
  const replaced = imports.filter(({ element }) => {
    const imported = importedName(element);
    return !element.isTypeOnly && isFunction(imported) && !(isDefining && definers.includes(imported));
  });
  const blanked = replaced.reduce((rest, { element }) => {
    const from = element.getStart(file);
    const comma = /^\s*,/.exec(text.slice(element.getEnd()))?.[0].length ?? 0;
    const to = element.getEnd() + comma;
    return rest.slice(0, from) + rest.slice(from, to).replaceAll(/\S/g, " ") + rest.slice(to);
  }, text);
  return [
    blanked,
    ...replaced.flatMap(({ element, from }) => {
      const name = element.name.text;
      return [
        `import { ${importedName(element)} as ${name}_of_tritype } from ${from};`,
        `/* @__NO_SIDE_EFFECTS__ */ function ${name}(options) { return ${name}_of_tritype(options); }`,
      ];
    }),
  ].join("\n");
};

const importedName = ({ propertyName, name }: TypeScript.ImportSpecifier): string =>
  (propertyName ?? name).text;

const isFunction = (name: string): boolean =>
  typeof Reflect.get(dsl, name) === "function" || definers.includes(name);
