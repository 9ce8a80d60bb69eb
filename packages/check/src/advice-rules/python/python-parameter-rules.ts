import type { Label } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { builtins } from "../../python/builtins.ts";
import type { ClassModelPy } from "../../python/model-py/model-py.ts";
import { parameterOf, parametersMayChange } from "../../python/model-py/parameters.ts";
import { reachedFrom } from "../../python/reached.ts";
import type { Expression, PythonModule, Statement } from "../../python/syntax.ts";
import { callsIn, type Values, valuesOf } from "../../python/values.ts";
import { allStatements, dottedName } from "../../python/walk.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

const scalarUses = new Set([
  "int",
  "float",
  "open",
  "Path",
  "pathlib.Path",
  "json.loads",
  "os.path.join",
  "os.path.exists",
]);

/** A call that treats a parameter as a string or a number. */
interface ScalarUse {
  readonly argument: Expression;
  readonly key: string;
  readonly use: string;
  /** Whether the call makes every load fail. */
  readonly atLoad: boolean;
}

const scalarUsesOf = (file: ClassModelPy, model: ModelContext): readonly ScalarUse[] => {
  const values = valuesOf(file.module);
  if (parametersMayChange(file.module, values)) return [];
  const assigned = new Set(assignedKeys(file.module.body));
  const inEveryLoad = new Set(reachedFrom(file.model, ["initialize"]));
  return callsIn(file.module.body).flatMap((call) => {
    const use = dottedName(call.callee);
    const [argument] = call.args;
    if (use === undefined || !scalarUses.has(use) || argument === undefined || argument.star !== "")
      return [];
    const key = parameterOf(argument.value, values)?.key;
    if (key === undefined || assigned.has(key) || isOwn(use, file.module, values)) return [];
    const atLoad = isSet(model, key) && inEveryLoad.has(call);
    return [{ argument: argument.value, key, use, atLoad }];
  });
};

const isSet = ({ config }: ModelContext, key: string): boolean => Object.hasOwn(config.parameters ?? {}, key);

/** Whether the file redefines the name. */
const isOwn = (use: string, { body }: PythonModule, { bound }: Values): boolean =>
  use === "Path" ? !importsPath(body) : builtins.has(use) && bound.has(use);

const importsPath = (body: readonly Statement[]): boolean =>
  allStatements(body)
    .flatMap((statement) => (statement.kind === "import" ? statement.names : []))
    .some(({ name, source }) => name === "Path" && source === "pathlib.Path");

const parameterObject: Rule = pythonRule(
  {
    code: "python/parameter-object",
    message:
      "`{path}` of `{model}` passes the parameter `{key}` to `{use}`, but it is an object with a `string_value`",
    help: 'read `["string_value"]` of the parameter first',
    reason:
      "Triton passes parameters as objects with a `string_value`. Once the parameter is set and the line is reached, Python raises TypeError; until then, a fallback or a condition hides the error.",
  },
  (file, report, model) => {
    for (const { argument, key, use, atLoad } of scalarUsesOf(file, model))
      if (!atLoad) report([file.at(argument.from, "an object"), ...whereSet(model, key)], { key, use });
  },
);

const parameterAtLoad: Rule = pythonRule(
  {
    code: "python/parameter-at-load",
    judged: "live",
    atLoad: true,
    message:
      "`initialize` in `{path}` of `{model}` passes the parameter `{key}` to `{use}`, but it is an object with a `string_value`",
    help: 'read `["string_value"]` of the parameter first',
    reason:
      "Triton passes parameters as objects with a `string_value`, so `initialize` raises TypeError and the model cannot be loaded. This is only checked if the parameter is set and every load reaches the code.",
  },
  (file, report, model) => {
    for (const { argument, key, use, atLoad } of scalarUsesOf(file, model))
      if (atLoad) report([file.at(argument.from, "TypeError"), ...whereSet(model, key)], { key, use });
  },
);

const whereSet = (model: ModelContext, key: string): readonly Label[] =>
  isSet(model, key) ? [model.at(["parameters", key], "set here")] : [];

const missingParameter: Rule = pythonRule(
  {
    code: "python/missing-parameter",
    judged: "live",
    atLoad: true,
    message: "`{path}` of `{model}` needs the parameter `{key}`, which the configuration does not have",
    help: "add `{key}` to the configuration's `parameters`, or read it with `.get`",
    reason:
      "`initialize` raises KeyError, so the model cannot be loaded. This is only checked if every load reaches the code.",
  },
  (file, report, model) => {
    if (file.model.methods.has("auto_complete_config")) return;
    const values = valuesOf(file.module);
    if (parametersMayChange(file.module, values)) return;
    const seen = new Set(assignedKeys(file.module.body));
    for (const expression of reachedFrom(file.model, ["initialize"])) {
      if (expression.kind !== "index") continue;
      const parameter = parameterOf(expression, values);
      if (parameter?.how !== "index" || seen.has(parameter.key)) continue;
      if (isSet(model, parameter.key)) continue;
      seen.add(parameter.key);
      report(file.at(expression.from, "KeyError"), { key: parameter.key });
    }
  },
);

/** The `key` of every `object["key"] = …`. */
const assignedKeys = (body: readonly Statement[]): readonly string[] =>
  allStatements(body)
    .flatMap((statement) => (statement.kind === "assign" ? statement.targets : []))
    .flatMap((target) => (target.kind === "index" ? target.index : []))
    .flatMap((index) => (index.kind === "text" && index.value !== undefined ? [index.value] : []));

export const pythonParameterRules: readonly Rule[] = [parameterObject, parameterAtLoad, missingParameter];
