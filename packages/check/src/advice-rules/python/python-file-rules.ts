import { didYouMean } from "@tritype/core";
import { folderOf, modelPys, readModelPys, tooLargeModelPys } from "../../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { misnamedConfigs } from "../misnamed-config-rule.ts";
import { pythonRule } from "./python-rule.ts";

/** A `model.py` that is not Python 3. */
const syntaxError: Rule = modelRule(
  {
    code: "python/syntax-error",
    triton: ["32c"],
    atLoad: true,
    message: "`{path}` of `{model}` is not valid Python 3",
    help: "run `python3 -m py_compile` on the file to see the error",
    reason: "The stub imports the file when the model loads, and a SyntaxError makes the model unavailable.",
  },
  (model, report) => {
    for (const { path, file, at } of modelPys(model))
      if (file.kind === "broken") report(at(file.from, "Python cannot parse this"), { path });
  },
);

/** A `model.py` that contains data as well as code. */
const tooLarge: Rule = modelRule(
  {
    code: "python/too-large",
    message: "`{path}` of `{model}` is larger than 8 MiB and was not checked",
    help: "keep data in separate files next to it",
    reason:
      "A file of that size is mostly data. Triton loads it, but the rules for `model.py` files do not check it.",
  },
  (model, report) => {
    for (const path of tooLargeModelPys(model))
      report(
        { span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 }, text: "this file" },
        { path },
      );
  },
);

/** A `model.py` without the class that the stub looks for. */
const noModelClass: Rule = modelRule(
  {
    code: "python/no-model-class",
    triton: ["32c"],
    atLoad: true,
    message: "`{path}` of `{model}` defines no class `TritonPythonModel`",
    help: "name the model's class `TritonPythonModel`",
    reason: "The stub instantiates the class with exactly this name; without it, the model is unavailable.",
  },
  (model, report) => {
    for (const file of readModelPys(model)) {
      if (file.model !== "missing") continue;
      const other = file.module.body.find((statement) => statement.kind === "class");
      report(
        other?.kind === "class" ? file.at(other.namePlace.from, "another name") : file.at(0, "no such class"),
        { path: file.path },
      );
    }
  },
);

/** A class that loads but cannot answer requests. */
const noExecute: Rule = pythonRule(
  {
    code: "python/no-execute",
    severity: "error",
    message: "`TritonPythonModel` in `{path}` of `{model}` has no method `execute`",
    help: "add `def execute(self, requests):`, which returns one InferenceResponse for every request",
    reason:
      'Triton loads the model and reports it as ready, but every request gets 500, "Python model … does not implement `execute` method."',
  },
  (file, report) => {
    const { definition, methods, open } = file.model;
    const assigned = definition.body.some(
      (statement) =>
        statement.kind === "assign" &&
        statement.targets.some((target) => target.kind === "name" && target.name === "execute"),
    );
    const patched = file.text.includes("TritonPythonModel.execute");
    if (open || methods.has("execute") || assigned || patched) return;
    const near = didYouMean("execute", [...methods.keys()]);
    report(file.at(definition.namePlace.from, "no `execute` in this class"), {
      help: near === undefined ? undefined : `did you mean \`execute\` instead of \`${near}\`?`,
    });
  },
);

/** A method that the stub ignores because of its name. */
const methodName: Rule = pythonRule(
  {
    code: "python/method-name",
    message: "nothing calls `{method}` of `TritonPythonModel` in `{path}` of `{model}`",
    help: "did you mean `{meant}`?",
    reason:
      "Triton calls `initialize`, `finalize` and `auto_complete_config` if a model has them; it silently ignores a method with any other name, so its setup never happens.",
  },
  (file, report) => {
    const { methods, open } = file.model;
    if (open) return;
    const lacking = ["initialize", "finalize", "auto_complete_config"].filter((name) => !methods.has(name));
    for (const { name: method, namePlace } of methods.values()) {
      const meant = didYouMean(
        method,
        lacking.filter((name) => name[0] === method[0]),
      );
      if (meant === undefined || isNamedAgain(method, file.text)) continue;
      report(file.at(namePlace.from, "Triton calls no method of this name"), { method, meant });
    }
  },
);

/** A model that has no configuration file and whose code does not provide a configuration either. */
const noContract: Rule = pythonRule(
  {
    code: "python/no-contract",
    message: "`{model}` has no inputs and no outputs: there is no config.pbtxt, and `{path}` adds none",
    help: "write a config.pbtxt with `input` and `output`, or add a static method `auto_complete_config` that calls `add_input` and `add_output`",
    reason:
      "Triton completes the configuration of a Python model only through its `auto_complete_config`. Without one it serves the model, but no request can give it a tensor.",
  },
  (file, report, model) => {
    const { definition, open } = file.model;
    if (open || file.text.includes("auto_complete_config")) return;
    const { strict = false } = model.options;
    if (!model.hasConfig && !strict && misnamedConfigs(model.list).length === 0)
      report(file.at(definition.namePlace.from, "no `auto_complete_config` in this class"), {});
  },
);

const isNamedAgain = (name: string, text: string): boolean =>
  text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word === name).length > 1;

export const pythonFileRules: readonly Rule[] = [
  syntaxError,
  tooLarge,
  noModelClass,
  noExecute,
  methodName,
  noContract,
];
