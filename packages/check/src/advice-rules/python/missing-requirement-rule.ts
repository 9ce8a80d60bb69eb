import { readModelPys } from "../../python/model-py/model-py.ts";
import { bringsModule, packageOfModule } from "../../python/package-of-module.ts";
import { standardModules } from "../../python/standard-modules.ts";
import type { Statement } from "../../python/syntax.ts";
import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";

/** A module that the server's Python does not have. */
export const missingRequirement: Rule = modelRule(
  {
    code: "python/missing-requirement",
    message: "`{path}` of `{model}` imports `{module}`, which none of the image's requirements provide",
    help: 'add the package to the step\'s `requirements`, with its version: "{pin}==<version>"',
    reason:
      "A build's image only contains the packages that steps list in `requirements`, so the model does not load, or fails when it imports the module. Also list packages that are only installed as dependencies of others, because later versions may not need them. The rule ignores imports inside `try` or `if`, models with `EXECUTION_ENV_PATH` or their own `sys.path`, and images and repositories that did not come from the build.",
  },
  (model, report) => {
    const { pythonPackages } = model.options;
    if (pythonPackages === undefined || model.config.parameters?.["EXECUTION_ENV_PATH"] !== undefined) return;
    for (const file of readModelPys(model)) {
      if (file.text.includes("sys.path")) continue;
      const beside = modulesBeside(model, file.path);
      const seen = new Set<string>();
      for (const { module, from } of importsIn(file.module.body, file.text)) {
        if (seen.has(module) || standardModules.has(module) || ofTriton.has(module) || beside.has(module))
          continue;
        seen.add(module);
        if (pythonPackages.some((requirement) => bringsModule(requirement, module))) continue;
        report(file.at(from, "not in the image"), { path: file.path, module, pin: packageOfModule(module) });
      }
    }
  },
);

/** Modules that the python backend provides. */
const ofTriton: ReadonlySet<string> = new Set(["triton_python_backend_utils", "c_python_backend_utils"]);

/** Python searches the version's folder and, because of how Triton starts it, the model's folder. */
const modulesBeside = (model: ModelContext, path: string): ReadonlySet<string> =>
  new Set(
    ["", path.split("/").slice(0, -1).join("/")].flatMap((folder) =>
      (model.list(folder) ?? []).flatMap(({ name, kind }) =>
        kind === "folder" ? [name] : /\.(?:py|pyc|so|pyd)$/.test(name) ? [name.split(".")[0] ?? name] : [],
      ),
    ),
  );

interface Import {
  /** `a` of `import a.b`. */
  readonly module: string;
  readonly from: number;
}

/** Imports that always run. Excludes imports under a condition or in a `try`, which may not be needed. */
const importsIn = (body: readonly Statement[], text: string): readonly Import[] =>
  body.flatMap((statement): readonly Import[] => {
    switch (statement.kind) {
      case "import":
        return importedBy(text, statement.from, statement.to);
      case "function":
      case "class":
        return importsIn(statement.body, text);
      case "for":
        return importsIn([...statement.body, ...statement.otherwise], text);
      case "block":
        return statement.what === "with"
          ? statement.branches.flatMap((branch) => importsIn(branch.body, text))
          : [];
      default:
        return [];
    }
  });

const importedBy = (text: string, from: number, to: number): readonly Import[] => {
  const statement = text.slice(from, to);
  const [source, module = ""] = /^from\s+([^\W\d]\w*)/.exec(statement) ?? [];
  if (source !== undefined) return [{ module, from: from + source.length - module.length }];
  const listed = /^import\s+/.exec(statement)?.[0].length;
  if (listed === undefined) return [];
  return [...statement.slice(listed).matchAll(/(?<=^|,\s*)([^\W\d]\w*)/g)].map(({ 1: name = "", index }) => ({
    module: name,
    from: from + listed + index,
  }));
};
