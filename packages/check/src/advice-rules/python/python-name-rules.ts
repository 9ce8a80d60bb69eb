import { isName } from "../../python/patterns.ts";
import { didYouMean } from "@tritype/core";
import { builtins } from "../../python/builtins.ts";
import { isDynamic } from "../../python/model-py/model-class.ts";
import { classModelPys } from "../../python/model-py/model-py.ts";
import { reachedFrom, reachedIn } from "../../python/reached.ts";
import { valuesOf } from "../../python/values.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { nearHelp } from "../../model/near-help.ts";

const unsetAttribute: Rule = modelRule(
  {
    code: "python/unset-attribute",
    severity: "error",
    message: "`{path}` of `{model}` uses `self.{attribute}`, which nothing in the file sets",
    help: "set `self.{attribute}` in `initialize`",
    reason:
      "Every request fails with \"AttributeError: 'TritonPythonModel' object has no attribute …\". Only checked if every call reaches the code.",
  },
  (model, report) => {
    for (const file of classModelPys(model)) {
      const { definition, methods, open } = file.model;
      if (open) continue;
      const { attributes } = valuesOf(file.module);
      const inClass = new Set(
        definition.body.flatMap((statement) => {
          if (statement.kind === "function" || statement.kind === "class") return [statement.name];
          if (statement.kind !== "assign") return [];
          return statement.targets.flatMap((target) =>
            target.kind === "name"
              ? [target.name]
              : target.kind === "sequence"
                ? target.items.flatMap((item) => (item.kind === "name" ? [item.name] : []))
                : [],
          );
        }),
      );
      const seen = new Set<string>();
      for (const expression of reachedFrom(file.model, ["initialize", "execute"], "AttributeError")) {
        if (expression.kind !== "attribute" || !isName(expression.object, "self")) continue;
        const { name } = expression;
        if (attributes.has(name) || inClass.has(name) || seen.has(name) || name.startsWith("__")) continue;
        seen.add(name);
        const near = didYouMean(name, [...attributes, ...methods.keys()]);
        report({
          with: { path: file.path, model: model.name, attribute: name },
          labels: [file.at(expression.from, "never set")],
          ...(near === undefined ? {} : { help: `did you mean \`self.${near}\`?` }),
        });
      }
    }
  },
);

const undefinedName: Rule = modelRule(
  {
    code: "python/undefined-name",
    severity: "error",
    message: "`{path}` of `{model}` uses `{name}`, which nothing in the file defines",
    help: "define or import `{name}`",
    reason:
      "Python raises NameError: at load if the name is in the file's own code or in `initialize`, in every request if it is in `execute`. Only checked if every call reaches the code.",
  },
  (model, report) => {
    for (const file of classModelPys(model)) {
      if (isDynamic(file.module)) continue;
      const { bound } = valuesOf(file.module);
      const reached = [
        ...reachedIn(file.module.body),
        ...reachedIn(file.model.definition.body),
        ...reachedFrom(file.model, ["initialize", "execute"], "NameError"),
      ];
      const seen = new Set<string>();
      for (const expression of reached) {
        if (expression.kind !== "name" || bound.has(expression.name) || builtins.has(expression.name))
          continue;
        if (seen.has(expression.name)) continue;
        seen.add(expression.name);
        const near = didYouMean(expression.name, [...bound]);
        report({
          with: { path: file.path, model: model.name, name: expression.name },
          labels: [file.at(expression.from, "not defined")],
          ...nearHelp(near),
        });
      }
    }
  },
);

export const pythonNameRules: readonly Rule[] = [unsetAttribute, undefinedName];
