import { backendUtilsOf } from "../python/backend-utils.ts";
import { classModelPys } from "../python/model-py.ts";
import { reachedFrom } from "../python/reached.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Warmup of a model whose `execute` calls other models. */
export const warmupCalls: Rule = modelRule(
  {
    code: "warmup/calls-models",
    triton: [],
    severity: "error",
    judged: "ours",
    message: "`{model}` has a warmup, and `execute` in `{path}` calls other models",
    help: "take `model_warmup` out; warm up the models that it calls",
    reason:
      "Warmup runs while the server starts, before it takes requests of its own models: the model cannot be loaded, or the whole server ends with a segmentation fault (24.10 does one or the other at every start). It works only in explicit mode, when the called models are loaded first.",
  },
  (model, report) => {
    const sample = (model.config.model_warmup ?? []).findIndex(({ batch_size = 0 }) => batch_size > 0);
    if (sample < 0) return;
    for (const file of classModelPys(model)) {
      const utils = backendUtilsOf(file.module);
      const reached = reachedFrom(file.model, ["execute"], "");
      const sends = reached.some(
        (expression) =>
          expression.kind === "call" &&
          expression.callee.kind === "attribute" &&
          (expression.callee.name === "exec" || expression.callee.name === "async_exec"),
      );
      const request = reached.find(
        (expression) =>
          expression.kind === "call" && utils.memberOf(expression.callee) === "InferenceRequest",
      );
      if (!sends || request === undefined) continue;
      report({
        with: { model: model.name, path: file.path },
        labels: [
          model.at(["model_warmup", sample], "runs when the model loads"),
          file.at(request.from, "a request to another model"),
        ],
      });
    }
  },
);
