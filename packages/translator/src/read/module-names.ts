import { ts } from "ts-morph";
import type { Declaration, Expression } from "../ir/code.ts";
import { type Scope, scopeIn, type Variable } from "../ir/variable.ts";
import { commentsBefore } from "./comments.ts";
import { dateOfText, refusedGlobals, translatedGlobals } from "./globals.ts";
import type { Reader } from "./reader.ts";

/** A module's constant or function that a translation needs. */
export interface Gathered {
  readonly declaration: Declaration;
  /** The declaration, or the expression in a JSON file. */
  readonly node: ts.VariableDeclaration | ts.FunctionDeclaration | ts.Expression;
}

/** The module declarations that a function uses, each once, dependencies first. */
export interface ModuleNames {
  readonly resolve: (node: ts.Identifier, symbol: ts.Symbol | undefined) => Expression;
  readonly gathered: readonly Gathered[];
  /** The module variable that a name in the user's text refers to. */
  readonly references: ReadonlyMap<ts.Identifier, Variable>;
  readonly scope: Scope;
}

export const newModuleNames = (reader: Reader, program: ts.Program): ModuleNames => {
  const scope = scopeIn(undefined, "module");
  const known = new Map<ts.Node, Variable>();
  const refusedNames = new Map<string, Expression>();
  const gathered: Gathered[] = [];
  const references = new Map<ts.Identifier, Variable>();

  const resolve = (node: ts.Identifier, symbol: ts.Symbol | undefined): Expression => {
    const declaration = symbol?.declarations?.[0];
    if (declaration === undefined || isForeign(declaration)) return resolveGlobal(node, declaration);
    if (ts.isSourceFile(declaration)) {
      const [value] = declaration.statements;
      if (declaration.fileName.endsWith(".json") && value !== undefined && ts.isExpressionStatement(value))
        return refer(node, gatherJson(value.expression, node));
      return reader.refuse(
        node,
        "function/syntax",
        `\`${node.text}\` is a whole module`,
        "names that are imported",
      );
    }
    if (ts.isFunctionDeclaration(declaration) && ts.isSourceFile(declaration.parent))
      return refer(node, gatherFunction(implementationOf(symbol?.declarations ?? [], declaration)));
    if (ts.isVariableDeclaration(declaration) && isOfModule(declaration)) {
      if ((declaration.parent.flags & ts.NodeFlags.Const) === 0)
        return reader.refuse(
          node,
          "function/module-variable",
          `\`${node.text}\` is a variable of its module`,
        );
      if (isModel(declaration))
        return reader.refuse(
          node,
          "function/captured",
          `\`${node.text}\` is a model, which a function cannot call`,
          "it in the ensemble, before or after this step, or call both in a `flow()`",
          { neverOnNode: true },
        );
      return refer(node, gatherConstant(declaration));
    }
    if (ts.isBindingElement(declaration) && isInModule(declaration))
      return reader.refuse(
        node,
        "function/syntax",
        `\`${node.text}\` is bound by a pattern of its module`,
        "a separate `const`",
      );
    if (ts.isEnumDeclaration(declaration) || ts.isClassDeclaration(declaration))
      return reader.refuse(
        // A class or an enum of a function is refused where it is declared.
        ts.isSourceFile(declaration.parent) ? node : declaration,
        "function/syntax",
        ts.isEnumDeclaration(declaration)
          ? `\`${node.text}\` is an enum, whose members are translated only by name, as in \`${node.text}.${memberOf(declaration)}\``
          : `\`${node.text}\` is a class`,
        ts.isEnumDeclaration(declaration)
          ? "a `const` record or list for lookups"
          : node.text.endsWith("Error")
            ? "`throw new Error(message)`, and distinguish errors by `error.message`"
            : "records and functions",
      );
    const isLater = declaration.pos > node.pos && declaration.getSourceFile() === node.getSourceFile();
    const why = isLater ? "is declared after the function that uses it" : "belongs to the enclosing function";
    return reader.refuse(node, "function/captured", `\`${node.text}\` ${why}`);
  };

  /** Whether a constant is a step or an ensemble. */
  const isModel = (declaration: ts.VariableDeclaration): boolean => {
    const symbol = reader.checker.getTypeAtLocation(declaration).getSymbol();
    return (
      /^(?:Step|Ensemble)$/.test(symbol?.getName() ?? "") && symbol?.declarations?.every(isForeign) === true
    );
  };

  /** Whether a package without TypeScript source declares it. TypeScript in a package is read like the project's own. */
  const isForeign = (declaration: ts.Declaration): boolean => {
    const { isDeclarationFile, fileName } = declaration.getSourceFile();
    return isDeclarationFile || (fileName.includes("/node_modules/") && !/\.[cm]?tsx?$/.test(fileName));
  };

  const resolveGlobal = (node: ts.Identifier, declaration: ts.Declaration | undefined): Expression => {
    const file = declaration?.getSourceFile();
    const refused = readsDate(node) ? dateOfText : refusedGlobals[node.text];
    const own = file === undefined || program.isSourceFileDefaultLibrary(file);
    const ofNode = file !== undefined && /@types\/node|lib\.dom/.test(file.fileName);
    if ((own || ofNode) && translatedGlobals.has(node.text))
      return { kind: "builtin", name: node.text, type: reader.typeOf(node), at: reader.at(node) };
    if (refused !== undefined && (own || ofNode)) {
      const before = refusedNames.get(node.text);
      const { code, why, instead } = refused;
      const first =
        before ?? reader.refuse(node, code, `\`${node.text}\`: ${why}`, instead, { refuses: node.text });
      refusedNames.set(node.text, first);
      return first;
    }
    if (own) return reader.refuse(node, "function/built-in", `\`${node.text}\` is not translated`);
    if (/\/@types\/node\//.test(file.fileName))
      return reader.refuse(node, "function/input-output", `\`${node.text}\` of Node`);
    return reader.refuse(
      node,
      "function/package",
      `\`${node.text}\` comes from the package ${packageName(file.fileName)}`,
    );
  };

  const refer = (node: ts.Identifier, variable: Variable): Expression => {
    references.set(node, variable);
    return { kind: "variable", variable, type: variable.type, at: reader.at(node) };
  };

  /** The variable of a declaration, which is read when it is first used. */
  const gather = (
    node: Gathered["node"],
    name: string,
    read: () => Expression,
    comments: Declaration["comments"],
  ): Variable => {
    const found = known.get(node);
    if (found !== undefined) return found;
    const variable: Variable = { name, kind: "module", scope, type: reader.typeOf(node) };
    known.set(node, variable);
    gathered.push({ declaration: { variable, value: read(), at: reader.at(node), comments }, node });
    return variable;
  };

  const gatherFunction = (node: ts.FunctionDeclaration): Variable =>
    gather(node, node.name?.text ?? "run", () => reader.lambda(node, scope), commentsBefore(node));

  const gatherConstant = (node: ts.VariableDeclaration): Variable => {
    const { initializer } = node;
    const name = node.name.getText();
    const read = (): Expression =>
      initializer === undefined
        ? reader.refuse(node, "function/syntax", `\`${name}\` has no value`)
        : reader.expression(initializer, scope);
    return gather(node, name, read, commentsBefore(node.parent.parent));
  };

  /** The value of a JSON file that is imported under a name. */
  const gatherJson = (node: ts.Expression, { text }: ts.Identifier): Variable =>
    gather(node, text, () => reader.expression(node, scope), []);

  return { resolve, gathered, references, scope };
};

const isOfModule = (node: ts.VariableDeclaration): boolean =>
  ts.isVariableStatement(node.parent.parent) &&
  ts.isSourceFile(node.parent.parent.parent) &&
  ts.isIdentifier(node.name);

const isInModule = (node: ts.BindingElement): boolean => {
  const statement = ts.findAncestor(node, ts.isVariableStatement);
  return statement !== undefined && ts.isSourceFile(statement.parent);
};

/** Whether `Date` is given a string or the parts of a date, so that it does not read the clock. */
const readsDate = ({ text, parent }: ts.Identifier): boolean =>
  text === "Date" &&
  ((ts.isNewExpression(parent) && (parent.arguments?.length ?? 0) > 0) ||
    (ts.isPropertyAccessExpression(parent) && /^(?:parse|UTC)$/.test(parent.name.text)));

const memberOf = (declaration: ts.EnumDeclaration): string =>
  declaration.members[0]?.name.getText() ?? "Name";

/** Among overloads, the one with a body. */
const implementationOf = (
  declarations: readonly ts.Declaration[],
  first: ts.FunctionDeclaration,
): ts.FunctionDeclaration =>
  declarations.filter(ts.isFunctionDeclaration).find(({ body }) => body !== undefined) ?? first;

const packageName = (file: string): string =>
  /.*\/node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file;
