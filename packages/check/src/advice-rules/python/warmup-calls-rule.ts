import { methodCall } from "../../python/patterns.ts";
import { backendUtilsOf } from "../../python/backend-utils.ts";
import { reachedFrom } from "../../python/reached.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

/** A warmup of a model whose `execute` calls other models. */
export const warmupCalls: Rule = pythonRule(
  {
    code: "warmup/calls-models",
    severity: "error",
    message: "`{model}` has a warmup, and `execute` in `{path}` calls other models",
    help: "remove `model_warmup`, and warm up the models that it calls",
    reason:
      "Warmup runs while the server starts, before it accepts requests from its own models: the model cannot be loaded, or the whole server crashes with a segmentation fault (24.10 always does one or the other). Such a warmup only works in explicit mode, if the called models are loaded first.",
  },
  (file, report, model) => {
    const sample = (model.config.model_warmup ?? []).findIndex(({ batch_size = 0 }) => batch_size > 0);
    if (sample < 0) return;
    const utils = backendUtilsOf(file.module);
    const reached = reachedFrom(file.model, ["execute"], "");
    const sends = reached.some((expression) => /^(?:async_)?exec$/.test(methodCall(expression)?.name ?? ""));
    const request = reached.find(
      (expression) => expression.kind === "call" && utils.memberOf(expression.callee) === "InferenceRequest",
    );
    if (!sends || request === undefined) return;
    report([
      model.at(["model_warmup", sample], "runs when the model loads"),
      file.at(request.from, "a request to another model"),
    ]);
  },
);
