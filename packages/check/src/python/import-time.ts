import { library } from "./backend-utils.ts";
import { certainParts, headOf, reachedStatements } from "./reached.ts";
import type { Expression, PythonModule, Statement } from "./syntax.ts";
import { type Bindings, bindStatement } from "./values.ts";
import { allStatements } from "./walk.ts";

/** A member of `triton_python_backend_utils` that a file certainly uses while it is imported. */
export interface EarlyUse {
  readonly member: string;
  readonly from: number;
  readonly how: "import" | "annotation" | "value";
}

/** Includes class bodies, and the decorators, defaults and annotations of functions. */
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
  return usesIn(module.body);
};

const imports = (body: readonly Statement[]) =>
  body.flatMap((statement) => (statement.kind === "import" ? statement.names : []));

const annotationsOf = (statement: Statement): readonly Expression[] => {
  if (statement.kind === "assign") return statement.annotation === undefined ? [] : [statement.annotation];
  if (statement.kind !== "function") return [];
  const { parameters, returns } = statement;
  return [...parameters.map(({ annotation }) => annotation), returns].flatMap((one) => one ?? []);
};

/** The names that certainly are the library: nothing else at module level sets them, except a handler of a failed import. */
const libraryNames = (module: PythonModule): ReadonlySet<string> => {
  const own = allStatements(module.body, true);
  const handled = new Set(
    own.flatMap((statement) =>
      statement.kind === "block"
        ? statement.branches.flatMap(({ keyword, body }) =>
            keyword === "except" ? allStatements(body, true) : [],
          )
        : [],
    ),
  );
  const others: Bindings = new Map();
  const names: string[] = [];
  for (const statement of own) {
    const found = imports([statement]).flatMap(({ name, source }) => (source === library ? [name] : []));
    names.push(...found);
    if (found.length > 0 || handled.has(statement)) continue;
    bindStatement(
      statement,
      (target) => {
        if (target.kind === "name") others.set(target.name, []);
      },
      others,
    );
  }
  return new Set(names.filter((name) => !others.has(name)));
};
