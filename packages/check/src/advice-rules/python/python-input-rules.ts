import { didYouMean, nearHelp } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { argumentOf, backendUtilsOf } from "../../python/backend-utils.ts";
import { reachedFrom } from "../../python/reached.ts";
import { valuesOf } from "../../python/values.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

const undeclaredInput: Rule = pythonRule(
  {
    code: "python/undeclared-input",
    message: "`{path}` of `{model}` reads the input `{input}`, which the configuration does not declare",
    help: "declare the input, or read a declared one",
    reason:
      "`get_input_tensor_by_name` returns None for it, so every request fails: \"'NoneType' object has no attribute …\".",
  },
  (file, report, model) => {
    const declared = inputNames(model);
    if ((model.config.input ?? []).length === 0) return;
    // Inputs may be added at load time, and requests to other models have their own inputs.
    if (file.model.methods.has("auto_complete_config") || file.text.includes("InferenceRequest")) return;
    const { memberOf } = backendUtilsOf(file.module);
    const { resolve } = valuesOf(file.module);
    const seen = new Set<string>();
    for (const expression of reachedFrom(file.model, ["execute"], "AttributeError")) {
      if (expression.kind !== "attribute") continue;
      const call = resolve(expression.object);
      if (call.kind !== "call" || memberOf(call.callee) !== "get_input_tensor_by_name") continue;
      const place = argumentOf(call.args, 1, "name");
      const name = place && resolve(place);
      if (place === undefined || name?.kind !== "text" || name.value === undefined) continue;
      if (declared.has(name.value) || seen.has(name.value)) continue;
      seen.add(name.value);
      const near = didYouMean(name.value, [...declared]);
      report([file.at(place.from, "not declared"), model.at(["input"], "declared inputs")], {
        input: name.value,
        help: nearHelp(near),
      });
    }
  },
);

/** Every tensor that a request can contain: inputs, and those that the schedulers add. */
const inputNames = ({ config }: ModelContext): ReadonlySet<string> =>
  new Set(
    [
      ...(config.input ?? []).map(({ name }) => name),
      ...(config.batch_input ?? []).flatMap(({ target_name }) => target_name ?? []),
      ...(config.sequence_batching?.control_input ?? []).map(({ name }) => name),
      ...(config.sequence_batching?.state ?? []).map(({ input_name }) => input_name),
    ].filter((name) => name !== undefined),
  );

export const pythonInputRules: readonly Rule[] = [undeclaredInput];
