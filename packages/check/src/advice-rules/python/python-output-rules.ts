import { didYouMean } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { answersArePlain, madeTensors } from "../../python/model-py/made-tensors.ts";
import { type ClassModelPy, classModelPys } from "../../python/model-py/model-py.ts";
import { isUnicodeArray, numpyType } from "../../python/model-py/numpy-dtype.ts";
import { valuesOf } from "../../python/values.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { nearHelp } from "../../model/near-help.ts";

/** Files whose outputs are all declared in the configuration. */
const declaringFiles = (model: ModelContext): readonly ClassModelPy[] =>
  (model.config.output ?? []).length === 0
    ? []
    : classModelPys(model).filter((file) => !file.model.methods.has("auto_complete_config"));

const declaredNames = (model: ModelContext): readonly string[] =>
  (model.config.output ?? []).flatMap(({ name }) => name ?? []);

const undeclaredOutput: Rule = modelRule(
  {
    code: "python/undeclared-output",
    message:
      "`{path}` of `{model}` makes a tensor `{output}`, which the configuration does not declare as an output",
    help: "declare the output, or remove the tensor",
    reason:
      "Triton silently drops tensors that the configuration does not declare: the answer is 200 with the other outputs, or with none.",
  },
  (model, report) => {
    const declared = declaredNames(model);
    for (const file of declaringFiles(model)) {
      const { tensors, complete } = madeTensors(file);
      if (!complete) continue;
      for (const { name, place, answered } of tensors) {
        if (!answered || declared.includes(name)) continue;
        const near = didYouMean(name, declared);
        const meant =
          near === undefined
            ? model.at(["output"], "declared outputs")
            : model.at(["output", declared.indexOf(near), "name"], "declared");
        report({
          with: { path: file.path, model: model.name, output: name },
          labels: [file.at(place.from, "not declared"), meant],
          ...nearHelp(near),
        });
      }
    }
  },
);

const missingOutput: Rule = modelRule(
  {
    code: "python/missing-output",
    message: "`{path}` of `{model}` never makes the declared output `{output}`",
    help: "make the tensor in `execute`, or remove the output from the configuration",
    reason:
      'Triton answers 200 without the output. A client that requests it gets nothing, and an ensemble fails in the next step, "expected 1 inputs but got 0".',
  },
  (model, report) => {
    const declared = declaredNames(model);
    for (const file of declaringFiles(model)) {
      const { tensors, complete } = madeTensors(file);
      if (!complete || !answersArePlain(file)) continue;
      const made = new Set(tensors.map(({ name }) => name));
      // A misspelt output is both undeclared and missing: that is one mistake, reported at the tensor.
      const meant = tensors.flatMap(({ name, answered }) =>
        answered && !declared.includes(name) ? (didYouMean(name, declared) ?? []) : [],
      );
      for (const [index, name] of declared.entries())
        if (!made.has(name) && !meant.includes(name))
          report({
            with: { path: file.path, model: model.name, output: name },
            labels: [
              model.at(["output", index, "name"], "declared"),
              file.at(file.model.definition.namePlace.from, "never made"),
            ],
          });
    }
  },
);

const wrongDtype: Rule = modelRule(
  {
    code: "python/wrong-dtype",
    message: "`{output}` of `{model}` is declared {declared}, but `{path}` returns {made}",
    help: "declare {made}, or convert the array",
    reason:
      "Triton does not check what the Python backend returns: the client gets 200 with the wrong data type, and an ensemble fails in the next step.",
  },
  (model, report) => {
    const outputs = model.config.output ?? [];
    for (const file of declaringFiles(model)) {
      const { tensors, complete } = madeTensors(file);
      if (!complete) continue;
      const values = valuesOf(file.module);
      for (const { name, value } of tensors) {
        const index = outputs.findIndex((output) => output.name === name);
        const declared = outputs[index]?.data_type;
        const made = value && numpyType(value, values);
        if (value === undefined || made === undefined || typeof declared !== "string" || declared === made)
          continue;
        report({
          with: { output: name, model: model.name, declared, path: file.path, made },
          labels: [file.at(value.from, made), model.at(["output", index, "data_type"], declared)],
        });
      }
    }
  },
);

const textArray: Rule = modelRule(
  {
    code: "python/text-array",
    message: "`{path}` of `{model}` makes `{output}` from an array of Unicode text, which Triton refuses",
    help: "make it an array of objects: np.array(texts, dtype=object)",
    reason:
      'NumPy stores texts as `<U8` and similar dtypes, which Triton does not have: every request that reaches the code fails with "NumPy dtype is not supported". Arrays of objects and of bytes become TYPE_STRING.',
  },
  (model, report) => {
    for (const file of classModelPys(model)) {
      const values = valuesOf(file.module);
      for (const { name, value } of madeTensors(file).tensors)
        if (value !== undefined && isUnicodeArray(value, values))
          report({
            with: { path: file.path, model: model.name, output: name },
            labels: [file.at(value.from, "an array of Unicode text")],
          });
    }
  },
);

export const pythonOutputRules: readonly Rule[] = [undeclaredOutput, missingOutput, wrongDtype, textArray];
