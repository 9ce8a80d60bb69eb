import { defineErrors, type MakeError } from "@tritype/core";

/** Errors for calls that cannot be recorded. */
export const dslErrors = {
  "ensemble/async-run": {
    code: "project/invalid",
    message: "`run` of `{name}` is async",
    help: "remove `async`: `run` is recorded once and must not wait",
  },
  "ensemble/no-run": {
    code: "project/invalid",
    message: "ensemble `{name}` has no `run`",
    help: "write run({ … }) { … } that calls the steps and returns the outputs",
  },
  "flow/no-uses": {
    code: "project/invalid",
    message: "flow `{name}` has no `uses`",
    help: "list the steps and ensembles that `run` calls, as in uses: { detect }, or use step() if it calls none",
  },
  "flow/not-a-step": {
    code: "project/invalid",
    message: "`uses.{called}` of flow `{name}` is not a step",
    help: "give it a step, an ensemble or another flow",
  },
  "operator/no-list": {
    code: "project/invalid",
    message: "`concat` needs a list of tensors",
    help: "write concat([a, b], axis)",
  },
  "operator/not-a-tensor": {
    code: "project/invalid",
    message: "`{owner}` needs a tensor for `{name}`, got {got}",
    help: "pass the result of a step or an operator; check the name for a typo",
  },
  "operator/not-plain": {
    code: "project/invalid",
    message: "`{name}` of `{operator}` must be a plain value, not a tensor",
    help: "check the order of the arguments",
  },
  "python/not-a-step": {
    code: "project/invalid",
    message: "`uses[{index}]` of `{name}` is not a step",
    help: "list the steps and ensembles whose models the Python code calls: uses: [encoder]",
  },
  "run/awaited": {
    code: "usage/invalid",
    message: "`{name}` streams, so its run cannot be awaited: it may have any number of answers",
    help: "read them as they arrive: for await (const answer of {name}.run(inputs))",
  },
  "run/no-runtime": {
    code: "tool/missing",
    message: "no runtime is available to run `{name}`",
    help: 'import "tritype", which includes the local runtime',
  },
  "run/read-twice": {
    code: "usage/invalid",
    message: "the answers of `{name}` can only be read once",
    help: "keep them in a list, or send another request",
  },
  "run/tensor": {
    code: "project/invalid",
    message: "`{name}.run` needs values, but got a tensor, which has none",
    help: "inside `run` of an ensemble, call the step itself: {name}({ … })",
  },
  "step/called-with-tensor": {
    code: "project/invalid",
    message: "`{name}` was called with a tensor",
    help: "pass an object: {name}({ {input}: … })",
  },
  "step/no-run": {
    code: "project/invalid",
    message: "`{constructor}` `{name}` has no `run`",
    help: "write run: ({ … }) => ({ … }), a function from the inputs to the outputs",
  },
  "step/wrong-options": {
    code: "project/invalid",
    message: "{problem}",
  },
  "trace/endless": {
    code: "project/invalid",
    message: "`run` records more than {limit} steps and operators",
    help: "look for an endless loop: a tensor has no value while `run` is recorded, so `while (x)` is always true",
  },
  "trace/no-value": {
    code: "project/invalid",
    message: "a tensor has no value while the pipeline is being recorded",
    help: "use .gt(), where() and similar operators instead of `if`, `<` and `+` on tensors",
  },
  "trace/outside": {
    code: "project/invalid",
    message: "a step or operator was called outside `run`",
    help: "call steps and tensor operators only inside `run` of defineEnsemble()",
  },
} as const;

export const dslError: MakeError<typeof dslErrors> = defineErrors(dslErrors);
