import { mayCallModels } from "./model-calls.ts";
import { didYouMean } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { backendUtilsOf, type Call } from "../../python/backend-utils.ts";
import { type ClassModelPy, classModelPys } from "../../python/model-py/model-py.ts";
import type { Expression } from "../../python/syntax.ts";
import { callsIn, valuesOf } from "../../python/values.ts";
import { repositoryRule, type Rule } from "../../rule.ts";
import { nearHelp } from "../../model/near-help.ts";

/** A name in a `model.py` and the expression that gives it. */
interface Name {
  readonly name: string;
  readonly place: Expression;
}

/** `pb_utils.InferenceRequest(model_name="…", …)` with a known name. */
interface CalledModel {
  readonly file: ClassModelPy;
  readonly called: Name;
  readonly inputs: readonly Name[];
  readonly outputs: readonly Name[];
}

const calledModels = (model: ModelContext): readonly CalledModel[] =>
  (mayCallModels(model) ? classModelPys(model) : []).flatMap((file) => {
    const { memberOf } = backendUtilsOf(file.module);
    const { resolve } = valuesOf(file.module);
    const nameOf = (place: Expression | undefined): readonly Name[] => {
      const text = place && resolve(place);
      return text?.kind === "text" && text.value !== undefined ? [{ name: text.value, place: text }] : [];
    };
    const items = (call: Call, argument: string): readonly Expression[] => {
      const list = call.args.find(({ name }) => name === argument);
      const value = list && resolve(list.value);
      return value?.kind === "sequence" ? value.items : [];
    };
    return callsIn(file.module.body).flatMap((call): readonly CalledModel[] => {
      if (memberOf(call.callee) !== "InferenceRequest") return [];
      const [called] = nameOf(call.args.find(({ name }) => name === "model_name")?.value);
      if (called === undefined) return [];
      const inputs = items(call, "inputs").flatMap((item) => {
        const tensor = resolve(item);
        return tensor.kind === "call" && memberOf(tensor.callee) === "Tensor"
          ? nameOf(
              tensor.args.find(({ name }, i) => name === "name" || (i === 0 && name === undefined))?.value,
            )
          : [];
      });
      return [{ file, called, inputs, outputs: items(call, "requested_output_names").flatMap(nameOf) }];
    });
  });

const meant = (name: string, names: readonly string[]): { readonly help?: string } =>
  nearHelp(didYouMean(name, names));

const calledModel: Rule = repositoryRule(
  {
    code: "python/called-model",
    message: "`{path}` of `{model}` calls `{called}`, which is not in the repository",
    help: "add the model to the repository, or call one that exists; a build contains the models that its ensembles call",
    reason:
      "Triton does not know which models a Python model calls. It loads the model, and every request that reaches the call fails: \"Failed for execute the inference request. Model '…' is not ready.\"",
  },
  ({ models, unreadable }, report) => {
    for (const { model } of models.values())
      for (const { file, called } of calledModels(model)) {
        if (models.has(called.name) || unreadable.has(called.name)) continue;
        report({
          with: { path: file.path, model: model.name, called: called.name },
          labels: [file.at(called.place.from, "no such model")],
          ...meant(
            called.name,
            [...models.keys()].filter((name) => name !== model.name),
          ),
        });
      }
  },
);

const calledTensor: Rule = repositoryRule(
  {
    code: "python/called-tensor",
    message:
      "`{path}` of `{model}` calls `{called}` with the {side} `{tensor}`, which that model does not have",
    help: "use the names in the configuration of `{called}`",
    reason:
      "Triton does not know which models a Python model calls. It loads the model, and every request that reaches the call fails: \"unexpected inference input '…' for model '…'\", or \"unexpected inference output\".",
  },
  ({ models }, report) => {
    for (const { model } of models.values())
      for (const { file, called, inputs, outputs } of calledModels(model)) {
        const target = models.get(called.name);
        if (target?.completed === undefined) continue;
        const { input = [], output = [] } = target.completed;
        for (const [side, used, declared] of [
          ["input", inputs, input],
          ["output", outputs, output],
        ] as const) {
          const names = declared.flatMap(({ name }) => name ?? []);
          if (names.length === 0) continue;
          for (const { name, place } of used)
            if (!names.includes(name))
              report({
                with: { path: file.path, model: model.name, called: called.name, side, tensor: name },
                labels: [file.at(place.from, "does not exist"), target.model.at([side], "existing names")],
                ...meant(name, names),
              });
        }
      }
  },
);

/** The arguments with which a Python model calls other models. */
export const calledModelRules: readonly Rule[] = [calledModel, calledTensor];
