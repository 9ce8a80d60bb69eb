import type { ModelContext } from "../../model-context.ts";
import { knowing, modelRule, type Rule, type RuleReport, type WrittenEntry } from "../../rule.ts";
import { type ClassModelPy, classModelPys } from "../../python/model-py/model-py.ts";

/** A rule about the Python files that define a model's class. It supplies the values of `{model}` and `{path}`. */
export const pythonRule = <const E extends WrittenEntry>(
  entry: E,
  check: (file: ClassModelPy, report: RuleReport<E, "model" | "path">, model: ModelContext) => void,
): Rule =>
  modelRule(entry, (model, report) => {
    for (const file of classModelPys(model)) check(file, knowing(report, { path: file.path }), model);
  });
