import { library } from "./backend-utils.ts";
import { certainParts, headOf, reachedStatements } from "./reached.ts";
import type { Expression, PythonModule, Statement } from "./syntax.ts";
import { type Bindings, bindStatement } from "./values.ts";
import { allExpressions, allStatements } from "./walk.ts";

/** A member of `triton_python_backend_utils` that a file certainly uses while it is imported. */
export interface EarlyUse {
  readonly member: string;
  readonly from: number;
  readonly how: "import" | "annotation" | "value";
}

/**
 * Includes class bodies, and the decorators, defaults and annotations of functions. Excludes members that the file itself
 * sets, and all members if other code might set them.
 */
export const usedAtImport = (module: PythonModule): readonly EarlyUse[] => {
  const names = libraryNames(module);
  const annotated = !imports(module.body).some(({ source }) => source === "__future__.annotations");
  const usesOf = (expression: Expression, how: EarlyUse["how"]): readonly EarlyUse[] =>
    certainParts(expression).flatMap((part) =>
      part.kind === "attribute" && part.object.kind === "name" && names.has(part.object.name)
        ? [{ member: part.name, from: part.from, how }]
        : [],
    );
  const usesIn = (body: readonly Statement[]): readonly EarlyUse[] =>
    reachedStatements(body).flatMap((statement) => [
      ...imports([statement]).flatMap(({ source }): readonly EarlyUse[] =>
        source.startsWith(`${library}.`)
          ? [{ member: source.slice(library.length + 1), from: statement.from, how: "import" }]
          : [],
      ),
      ...headOf(statement).flatMap((expression) => usesOf(expression, "value")),
      ...(annotated ? annotationsOf(statement) : []).flatMap((one) => usesOf(one, "annotation")),
      ...(statement.kind === "class" ? usesIn(statement.body) : []),
    ]);
  if (mayBeReplaced(module, names)) return [];
  const own = setMembers(module, names);
  return usesIn(module.body).filter(({ member }) => !own.has(member));
};

/** The members that the file sets, anywhere: `pb_utils.Tensor = object`. */
const setMembers = (module: PythonModule, names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    allStatements(module.body)
      .flatMap((statement) => boundBy(statement).targets)
      .flatMap((target) =>
        target.kind === "attribute" && target.object.kind === "name" && names.has(target.object.name)
          ? [target.name]
          : [],
      ),
  );

/** Whether the file passes on the library (`setattr(pb_utils, …)`) or has its name in a string (for `sys.modules`). */
const mayBeReplaced = (module: PythonModule, names: ReadonlySet<string>): boolean => {
  const all = allExpressions(module.body);
  const known = new Set([
    ...allStatements(module.body).flatMap((statement) => boundBy(statement).targets),
    ...all.flatMap((expression) => {
      if (expression.kind === "attribute") return expression.name === "__dict__" ? [] : [expression.object];
      if (expression.kind !== "call" || expression.callee.kind !== "name") return [];
      return /^(?:dir|getattr|hasattr)$/.test(expression.callee.name)
        ? expression.args.map(({ value }) => value)
        : [];
    }),
  ]);
  return all.some((expression) =>
    expression.kind === "name"
      ? names.has(expression.name) && !known.has(expression)
      : expression.kind === "text" && expression.value === library,
  );
};

const imports = (body: readonly Statement[]) =>
  body.flatMap((statement) => (statement.kind === "import" ? statement.names : []));

const annotationsOf = (statement: Statement): readonly Expression[] => {
  if (statement.kind === "assign") return statement.annotation === undefined ? [] : [statement.annotation];
  if (statement.kind !== "function") return [];
  const { parameters, returns } = statement;
  return [...parameters.map(({ annotation }) => annotation), returns].flatMap((one) => one ?? []);
};

/** Names that certainly mean the library: nothing else in the file sets them, except a handler of a failed import. */
const libraryNames = (module: PythonModule): ReadonlySet<string> => {
  const own = allStatements(module.body, true);
  if (own.some((statement) => statement.kind === "import" && statement.star)) return new Set();
  const handled = new Set(
    own.flatMap((statement) =>
      statement.kind === "block"
        ? statement.branches.flatMap(({ keyword, body }) =>
            keyword === "except" ? allStatements(body, true) : [],
          )
        : [],
    ),
  );
  const isLibrary = (statement: Statement): boolean =>
    imports([statement]).some(({ source }) => source === library);
  const others = new Set(
    allStatements(module.body).flatMap((statement) =>
      isLibrary(statement) || handled.has(statement) ? [] : namesBoundBy(statement),
    ),
  );
  for (const expression of allExpressions(module.body))
    if (expression.kind === "named" && expression.target.kind === "name") others.add(expression.target.name);
  return new Set(
    own
      .flatMap((statement) => imports([statement]))
      .flatMap(({ name, source }) => (source === library && !others.has(name) ? [name] : [])),
  );
};

const namesBoundBy = (statement: Statement): readonly string[] => {
  const { targets, scope } = boundBy(statement);
  return [...scope.keys(), ...targets.flatMap((target) => (target.kind === "name" ? [target.name] : []))];
};

/** The targets of a statement, and the names that it imports or defines. */
const boundBy = (
  statement: Statement,
): { readonly targets: readonly Expression[]; readonly scope: Bindings } => {
  const targets: Expression[] = [];
  const scope: Bindings = new Map();
  const add = (target: Expression): void => {
    if (target.kind === "sequence") target.items.forEach(add);
    else if (target.kind === "other") target.parts.forEach(add);
    else targets.push(target);
  };
  bindStatement(statement, add, scope);
  return { targets, scope };
};
