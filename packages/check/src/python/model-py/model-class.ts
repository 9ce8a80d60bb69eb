import { isName } from "../patterns.ts";
import type { ClassDefinition, FunctionDefinition, PythonModule } from "../syntax.ts";
import { allExpressions, allStatements } from "../walk.ts";

/** `class TritonPythonModel`, which the stub instantiates. */
export interface ModelClass {
  readonly definition: ClassDefinition;
  readonly methods: ReadonlyMap<string, FunctionDefinition>;
  /** Whether attributes can be set elsewhere: through bases, decorators, `setattr`, `__getattr__`, `__dict__`, … */
  readonly open: boolean;
}

/**
 * The class; "missing" if the file certainly does not define the name, "elsewhere" if it may come from an import or a
 * condition.
 */
export const findModelClass = (module: PythonModule): ModelClass | "missing" | "elsewhere" => {
  const definitions = module.body.filter(
    (statement) => statement.kind === "class" && statement.name === className,
  ) as readonly ClassDefinition[];
  const [definition] = definitions;
  if (definition !== undefined && definitions.length === 1) return modelClass(definition, module);
  return definitions.length > 1 || mentionsElsewhere(module) ? "elsewhere" : "missing";
};

const className = "TritonPythonModel";

const mentionsElsewhere = (module: PythonModule): boolean =>
  allStatements(module.body).some(
    (statement) =>
      (statement.kind === "import" &&
        (statement.star || statement.names.some(({ name }) => name === className))) ||
      (statement.kind === "class" && statement.name === className),
  ) ||
  allExpressions(module.body).some(
    (expression) =>
      expression.kind === "name" && (expression.name === className || dynamicNames.has(expression.name)),
  );

const dynamicNames = new Set(["exec", "eval", "globals", "locals", "vars", "setattr", "__import__"]);
const dynamicAttributes = new Set([
  "__dict__",
  "__class__",
  "__getattr__",
  "__getattribute__",
  "__setattr__",
  "update_wrapper",
]);

const modelClass = (definition: ClassDefinition, module: PythonModule): ModelClass => {
  const methods = new Map<string, FunctionDefinition>();
  for (const statement of definition.body)
    if (statement.kind === "function") methods.set(statement.name, statement);
  const open =
    definition.bases.some(({ value }) => !isName(value, "object")) ||
    definition.decorators.length > 0 ||
    definition.body.some((statement) => !plainMembers.has(statement.kind)) ||
    ["__getattr__", "__getattribute__", "__setattr__", "__new__"].some((name) => methods.has(name)) ||
    isDynamic(module) ||
    handsOnSelf(module);
  return { definition, methods, open };
};

/** Whether `self` is passed to other code, which may set attributes. */
const handsOnSelf = (module: PythonModule): boolean => {
  const all = allExpressions(module.body);
  const objects = new Set(
    all.map((expression) => (expression.kind === "attribute" ? expression.object : undefined)),
  );
  return all.some((expression) => isName(expression, "self") && !objects.has(expression));
};

const plainMembers = new Set(["function", "assign", "expression", "plain", "class"]);

/** Whether a file accesses names or attributes in ways that cannot be tracked. */
export const isDynamic = (module: PythonModule): boolean =>
  allExpressions(module.body).some(
    (expression) =>
      (expression.kind === "name" && dynamicNames.has(expression.name)) ||
      (expression.kind === "attribute" && dynamicAttributes.has(expression.name)),
  ) || allStatements(module.body).some((statement) => statement.kind === "import" && statement.star);
