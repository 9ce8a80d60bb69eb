import type { ModelContext } from "../../model-context.ts";
import { argumentOf, backendUtilsOf } from "../../python/backend-utils.ts";
import type { ClassModelPy } from "../../python/model-py/model-py.ts";
import type { Expression } from "../../python/syntax.ts";
import { tokenizerSource } from "../../python/model-py/tokenizer-source.ts";
import { callsIn } from "../../python/values.ts";
import { allStatements, isInside } from "../../python/walk.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "../python/python-rule.ts";
import { readJson } from "../../model/json-file.ts";

/** A `model.py` that turns everything its tokenizer returns into outputs. */
export const tokenizerInputs: Rule = pythonRule(
  {
    code: "python/tokenizer-outputs",
    message:
      "`{path}` of `{model}` turns everything from its tokenizer into an output, and `{tokenizer}` returns `{output}`, which the configuration does not declare",
    help: "declare the output and pass it to the next model, or create only the tensors that the next model needs, by name",
    reason:
      "Triton silently drops undeclared tensors. A model that was trained with `token_type_ids` then runs without them, or the next model lacks an input.",
  },
  (file, report, model) => {
    const declared = (model.config.output ?? []).map(({ name }) => name);
    if (declared.length === 0) return;
    const place = file.model.methods.has("auto_complete_config") ? undefined : loopTensor(file);
    const tokenizer = place && tokenizerNames(model, file);
    if (place === undefined || tokenizer === undefined) return;
    for (const output of tokenizer.names)
      if (!declared.includes(output))
        report(
          [file.at(place.from, "every name from the tokenizer"), model.at(["output"], "declared outputs")],
          { tokenizer: tokenizer.path, output },
        );
  },
);

/** `for name in tokenizer.model_input_names: … Tensor(name, …)`: the name. */
const loopTensor = (file: ClassModelPy): Expression | undefined => {
  const utils = backendUtilsOf(file.module);
  const calls = callsIn(file.module.body);
  for (const loop of allStatements(file.module.body)) {
    if (loop.kind !== "for" || loop.target.kind !== "name" || loop.source.kind !== "attribute") continue;
    if (loop.source.name !== "model_input_names") continue;
    for (const call of calls) {
      const name = argumentOf(call.args, 0, "name");
      if (!isInside(call, loop) || utils.memberOf(call.callee) !== "Tensor" || name?.kind !== "name")
        continue;
      if (name.name === loop.target.name) return name;
    }
  }
  return undefined;
};

/** Tokenizers in `transformers` that return `token_type_ids` unless their configuration file disables them. */
const withTokenTypes = new Set([
  "BertTokenizer",
  "BertTokenizerFast",
  "AlbertTokenizer",
  "AlbertTokenizerFast",
]);

/** The tokenizer's outputs, from its `tokenizer_config.json`. */
const tokenizerNames = (
  model: ModelContext,
  file: ClassModelPy,
): { readonly path: string; readonly names: readonly string[] } | undefined => {
  const source = tokenizerSource(file);
  if (source === "unknown") return undefined;
  const folder = source?.folder ?? file.path.split("/")[0] ?? "";
  const path = folder === "" ? "tokenizer_config.json" : `${folder}/tokenizer_config.json`;
  const { model_input_names: names, tokenizer_class: kind } = readJson(model, path) ?? {};
  if (Array.isArray(names)) return { path, names: names.filter((name) => typeof name === "string") };
  return typeof kind === "string" && withTokenTypes.has(kind)
    ? { path, names: ["input_ids", "token_type_ids", "attention_mask"] }
    : undefined;
};
