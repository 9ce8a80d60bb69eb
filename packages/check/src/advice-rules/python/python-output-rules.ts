import { didYouMean, nearHelp } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { answersArePlain, type MadeTensor, madeTensors } from "../../python/model-py/made-tensors.ts";
import type { ClassModelPy } from "../../python/model-py/model-py.ts";
import { isUnicodeArray, numpyType } from "../../python/model-py/numpy-dtype.ts";
import { valuesOf } from "../../python/values.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

/** The tensors that the file creates, if all of them are known and the configuration declares all outputs. */
const tensorsOf = (file: ClassModelPy, { config }: ModelContext): readonly MadeTensor[] | undefined => {
  if ((config.output ?? []).length === 0 || file.model.methods.has("auto_complete_config")) return undefined;
  const { tensors, complete } = madeTensors(file);
  return complete ? tensors : undefined;
};

const declaredNames = (model: ModelContext): readonly string[] =>
  (model.config.output ?? []).flatMap(({ name }) => name ?? []);

const undeclaredOutput: Rule = pythonRule(
  {
    code: "python/undeclared-output",
    message:
      "`{path}` of `{model}` creates a tensor `{output}`, which the configuration does not declare as an output",
    help: "declare the output, or remove the tensor",
    reason:
      "Triton silently drops tensors that the configuration does not declare: the response is 200 with the other outputs, or with none.",
  },
  (file, report, model) => {
    const declared = declaredNames(model);
    const states = (model.config.sequence_batching?.state ?? []).map(({ output_name }) => output_name);
    for (const { name, place, answered } of tensorsOf(file, model) ?? []) {
      // The rules for sequences report states, which the backend cannot return.
      if (!answered || declared.includes(name) || states.includes(name)) continue;
      const near = didYouMean(name, declared);
      const meant =
        near === undefined
          ? model.at(["output"], "declared outputs")
          : model.at(["output", declared.indexOf(near), "name"], "declared");
      report([file.at(place.from, "not declared"), meant], { output: name, help: nearHelp(near) });
    }
  },
);

const missingOutput: Rule = pythonRule(
  {
    code: "python/missing-output",
    message: "`{path}` of `{model}` never creates the declared output `{output}`",
    help: "create the tensor in `execute`, or remove the output from the configuration",
    reason:
      'Triton responds with 200, without the output. A client that requests it gets nothing, and an ensemble fails in the next step with "expected 1 inputs but got 0".',
  },
  (file, report, model) => {
    const declared = declaredNames(model);
    const tensors = tensorsOf(file, model);
    if (tensors === undefined || !answersArePlain(file)) return;
    const made = new Set(tensors.map(({ name }) => name));
    // A misspelt output is undeclared, and the intended one is missing; this is a single mistake, which is reported
    // at the tensor.
    const meant = tensors.flatMap(({ name, answered }) =>
      answered && !declared.includes(name) ? (didYouMean(name, declared) ?? []) : [],
    );
    const never = file.at(file.model.definition.namePlace.from, "never created");
    for (const [index, name] of declared.entries())
      if (!made.has(name) && !meant.includes(name))
        report([model.at(["output", index, "name"], "declared"), never], { output: name });
  },
);

const wrongDtype: Rule = pythonRule(
  {
    code: "python/wrong-dtype",
    message: "`{output}` of `{model}` is declared {declared}, but `{path}` returns {made}",
    help: "declare {made}, or convert the array",
    reason:
      "Triton does not check what the Python backend returns: the client gets 200 with the wrong data type, and an ensemble fails in the next step.",
  },
  (file, report, model) => {
    const outputs = model.config.output ?? [];
    const values = valuesOf(file.module);
    for (const { name, value } of tensorsOf(file, model) ?? []) {
      const index = outputs.findIndex((output) => output.name === name);
      const declared = outputs[index]?.data_type;
      const made = value && numpyType(value, values);
      if (value === undefined || made === undefined || typeof declared !== "string" || declared === made)
        continue;
      const labels = [file.at(value.from, made), model.at(["output", index, "data_type"], declared)];
      report(labels, { output: name, declared, made });
    }
  },
);

const textArray: Rule = pythonRule(
  {
    code: "python/text-array",
    message: "`{path}` of `{model}` creates `{output}` from an array of Unicode text, which Triton refuses",
    help: "make it an array of objects: np.array(texts, dtype=object)",
    reason:
      'NumPy stores texts with dtypes such as `<U8`, which Triton does not support: every request that reaches the code fails with "NumPy dtype is not supported". Arrays of objects or bytes become TYPE_STRING.',
  },
  (file, report) => {
    const values = valuesOf(file.module);
    for (const { name, value } of madeTensors(file).tensors)
      if (value !== undefined && isUnicodeArray(value, values))
        report(file.at(value.from, "an array of Unicode text"), { output: name });
  },
);

export const pythonOutputRules: readonly Rule[] = [undeclaredOutput, missingOutput, wrongDtype, textArray];
