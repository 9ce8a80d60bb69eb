import { allExpressions, allStatements } from "../python/walk.ts";
import { modelRule, type Rule } from "../rule.ts";
import { pythonRule } from "./python/python-rule.ts";

/** A home folder on a personal machine. Home folders in server images do not count. */
const homes = /^(?:\/home\/|\/Users\/|[A-Za-z]:[\\/]+Users[\\/]+)([^\\/]+)[\\/]/;
const imageUsers = new Set([
  "triton-server",
  "triton",
  "tritonserver",
  "app",
  "user",
  "ubuntu",
  "jovyan",
  "Public",
  "Shared",
]);

const isMachinePath = (text: string): boolean => {
  const [, user] = homes.exec(text.trim()) ?? [];
  return (
    user !== undefined && !imageUsers.has(user) && !/[{}$%*\n]/.test(user) && !text.trim().includes("\n")
  );
};

const parameterPath: Rule = modelRule(
  {
    code: "config/machine-path",
    message: "the parameter `{key}` of `{model}` is a path on a personal machine: `{path}`",
    help: "put the file into the model's folder and use a path relative to that folder",
    reason:
      "The path does not exist on the server, so the model cannot be loaded or silently falls back to something else.",
  },
  (model, report) => {
    for (const [key, { string_value: path = "" }] of Object.entries(model.config.parameters ?? {}))
      if (isMachinePath(path)) report(model.at(["parameters", key], "this path"), { key, path });
  },
);

const pythonPath: Rule = pythonRule(
  {
    code: "python/machine-path",
    message: "`{file}` of `{model}` contains a path on a personal machine: `{path}`",
    help: 'build paths from `args["model_repository"]` and `args["model_version"]`, or from `__file__`',
    reason: "The path does not exist on the server, so the model cannot be loaded.",
  },
  (file, report) => {
    const remarks = new Set(
      allStatements(file.module.body).flatMap((statement) =>
        statement.kind === "expression" ? [statement.value] : [],
      ),
    );
    for (const expression of allExpressions(file.module.body)) {
      if (expression.kind !== "text" || remarks.has(expression)) continue;
      const { value = "" } = expression;
      if (isMachinePath(value))
        report(file.at(expression.from, "this path"), { file: file.path, path: value });
    }
  },
);

export const machinePathRules: readonly Rule[] = [parameterPath, pythonPath];
