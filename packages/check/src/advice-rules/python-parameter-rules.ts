import { classModelPys } from "../python/model-py.ts";
import { parameterOf, parametersMayChange } from "../python/parameters.ts";
import { reachedFrom } from "../python/reached.ts";
import { callsIn, valuesOf } from "../python/values.ts";
import type { Statement } from "../python/syntax.ts";
import { allStatements, dottedName } from "../python/walk.ts";
import { modelRule, type Rule } from "../rule.ts";

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

const parameterObject: Rule = modelRule(
  {
    code: "python/parameter-object",
    triton: [],
    severity: "warning",
    judged: "ours",
    message:
      "`{path}` of `{model}` gives the parameter `{key}` to `{use}`, but it is an object with a `string_value`",
    help: 'read `["string_value"]` of the parameter first',
    reason:
      "Triton hands parameters over as objects with a `string_value`, so the model cannot be loaded once the parameter is set (TypeError); until then the fallback hides it.",
  },
  (model, report) => {
    for (const file of classModelPys(model)) {
      const values = valuesOf(file.module);
      if (parametersMayChange(file.module, values)) continue;
      for (const { callee, args } of callsIn(file.module.body)) {
        const use = dottedName(callee);
        const [argument] = args;
        if (use === undefined || !scalarUses.has(use) || argument === undefined || argument.star !== "")
          continue;
        const parameter = parameterOf(argument.value, values);
        if (parameter === undefined) continue;
        report({
          with: { path: file.path, model: model.name, key: parameter.key, use },
          labels: [
            file.at(argument.value.from, "an object"),
            ...(model.config.parameters?.[parameter.key] === undefined
              ? []
              : [model.at(["parameters", parameter.key], "set here")]),
          ],
        });
      }
    }
  },
);

const missingParameter: Rule = modelRule(
  {
    code: "python/missing-parameter",
    triton: [],
    severity: "error",
    judged: "live",
    message: "`{path}` of `{model}` needs the parameter `{key}`, which the configuration does not have",
    help: "add `{key}` to the configuration's `parameters`, or read it with `.get`",
    reason:
      "`initialize` raises KeyError, so the model cannot be loaded. Judged only where the code is reached in every load.",
  },
  (model, report) => {
    for (const file of classModelPys(model)) {
      if (file.model.methods.has("auto_complete_config")) continue;
      const values = valuesOf(file.module);
      if (parametersMayChange(file.module, values)) continue;
      const seen = new Set(assignedKeys(file.module.body));
      for (const expression of reachedFrom(file.model, ["initialize"])) {
        if (expression.kind !== "index") continue;
        const parameter = parameterOf(expression, values);
        if (parameter?.how !== "index" || seen.has(parameter.key)) continue;
        if (Object.hasOwn(model.config.parameters ?? {}, parameter.key)) continue;
        seen.add(parameter.key);
        report({
          with: { path: file.path, model: model.name, key: parameter.key },
          labels: [file.at(expression.from, "KeyError")],
        });
      }
    }
  },
);

/** `key` of every `object["key"] = …`. */
const assignedKeys = (body: readonly Statement[]): readonly string[] =>
  allStatements(body)
    .flatMap((statement) => (statement.kind === "assign" ? statement.targets : []))
    .flatMap((target) => (target.kind === "index" ? target.index : []))
    .flatMap((index) => (index.kind === "text" && index.value !== undefined ? [index.value] : []));

export const pythonParameterRules: readonly Rule[] = [parameterObject, missingParameter];
