import { isDecoupled } from "@tritype/triton";
import { oneResponse } from "../../python/model-py/execute-shape.ts";
import { valuesOf } from "../../python/values.ts";
import { allExpressions, allStatements } from "../../python/walk.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

const oneResponseForAll: Rule = pythonRule(
  {
    code: "python/one-response",
    message: "`execute` in `{path}` of `{model}` returns one response for all requests, {how}",
    help: "create one InferenceResponse for every request, in order, and return them as a list",
    reason:
      'This works as long as requests arrive one at a time. As soon as Triton passes two requests together, both fail: "Number of InferenceResponse objects do not match the number of InferenceRequest objects".',
  },
  (file, report, model) => {
    if (isDecoupled(model.config)) return;
    const execute = file.model.methods.get("execute");
    const found = execute && oneResponse(execute);
    if (execute === undefined || found === undefined) return;
    // Without a batching scheduler, requests arrive one at a time, so code without a loop is correct.
    if (found.how === "without a loop over the requests" && !batches(model.config)) return;
    report(
      [
        file.at(found.place.from, "one response"),
        file.at(execute.namePlace.from, "called with a list of requests"),
      ],
      { how: found.how },
    );
  },
);

const batches = (config: {
  readonly dynamic_batching?: object;
  readonly sequence_batching?: object;
}): boolean => config.dynamic_batching !== undefined || config.sequence_batching !== undefined;

/** The node of a bare `yield`. */
const standIn = "_____";

const returnsNothing: Rule = pythonRule(
  {
    code: "python/returns-nothing",
    severity: "error",
    message: "`execute` in `{path}` of `{model}` returns nothing",
    help: "return a list with one InferenceResponse for every request, or make the model decoupled (`model_transaction_policy`) and send the responses",
    reason:
      "To Triton, None means that the responses will follow later, so the client waits forever, without an error.",
  },
  (file, report, model) => {
    if (isDecoupled(model.config)) return;
    const execute = file.model.methods.get("execute");
    if (execute === undefined || file.model.open || file.model.methods.has("auto_complete_config")) return;
    if (execute.decorators.length > 0 || /response_sender|set_release_flags/.test(file.text)) return;
    const statements = allStatements(execute.body, true);
    const ends = statements.some(
      (statement) =>
        statement.kind === "raise" || (statement.kind === "return" && statement.value !== undefined),
    );
    const yields = allExpressions(execute.body).some(
      (expression) =>
        (expression.kind === "other" && expression.what === "YieldExpression") ||
        (expression.kind === "name" && expression.name === standIn),
    );
    if (ends || yields) return;
    report(file.at(execute.namePlace.from, "no `return` with a value"));
  },
);

const decoupledReturns: Rule = pythonRule(
  {
    code: "python/decoupled-returns",
    message: "`execute` in `{path}` of `{model}` returns a list, but the model is decoupled",
    help: "send responses with `request.get_response_sender()` and return None, or remove `decoupled` from `model_transaction_policy`",
    reason: 'Every request fails: "… is using the decoupled mode and the execute function must return None".',
  },
  (file, report, model) => {
    if (!isDecoupled(model.config)) return;
    const execute = file.model.methods.get("execute");
    const [last] = execute?.body.slice(-1) ?? [];
    if (execute === undefined || execute.decorators.length > 0) return;
    if (last?.kind !== "return" || last.value === undefined) return;
    const { resolve } = valuesOf(file.module);
    const value = resolve(last.value);
    const isList =
      (value.kind === "sequence" && value.shape === "list") ||
      (value.kind === "comprehension" && file.text[value.from] === "[");
    if (!isList || file.model.methods.has("auto_complete_config")) return;
    report([
      file.at(last.value.from, "a list"),
      model.at(["model_transaction_policy", "decoupled"], "decoupled"),
    ]);
  },
);

export const pythonResponseRules: readonly Rule[] = [oneResponseForAll, returnsNothing, decoupledReturns];
