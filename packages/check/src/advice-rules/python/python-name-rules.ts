import { isName } from "../../python/patterns.ts";
import { didYouMean, nearHelp } from "@tritype/core";
import { builtins } from "../../python/builtins.ts";
import { isDynamic } from "../../python/model-py/model-class.ts";
import { reachedFrom, reachedIn } from "../../python/reached.ts";
import { valuesOf } from "../../python/values.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

const unsetAttribute: Rule = pythonRule(
  {
    code: "python/unset-attribute",
    severity: "error",
    message: "`{path}` of `{model}` uses `self.{attribute}`, which nothing in the file sets",
    help: "set `self.{attribute}` in `initialize`",
    reason:
      "Every request fails with \"AttributeError: 'TritonPythonModel' object has no attribute …\". This is only checked if every call reaches the code.",
  },
  (file, report) => {
    const { definition, methods, open } = file.model;
    if (open) return;
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
      report(file.at(expression.from, "never set"), {
        attribute: name,
        help: near === undefined ? undefined : `did you mean \`self.${near}\`?`,
      });
    }
  },
);

const undefinedName: Rule = pythonRule(
  {
    code: "python/undefined-name",
    severity: "error",
    message: "`{path}` of `{model}` uses `{name}`, which nothing in the file defines",
    help: "define or import `{name}`",
    reason:
      "Python raises NameError: at load if the name is used in module-level code or in `initialize`, and in every request if it is used in `execute`. This is only checked if every call reaches the code.",
  },
  (file, report) => {
    if (isDynamic(file.module)) return;
    const { bound } = valuesOf(file.module);
    const reached = [
      ...reachedIn(file.module.body),
      ...reachedIn(file.model.definition.body),
      ...reachedFrom(file.model, ["initialize", "execute"], "NameError"),
    ];
    const seen = new Set<string>();
    for (const expression of reached) {
      if (expression.kind !== "name" || bound.has(expression.name) || builtins.has(expression.name)) continue;
      if (seen.has(expression.name)) continue;
      seen.add(expression.name);
      const near = didYouMean(expression.name, [...bound]);
      report(file.at(expression.from, "not defined"), { name: expression.name, help: nearHelp(near) });
    }
  },
);

export const pythonNameRules: readonly Rule[] = [unsetAttribute, undefinedName];
