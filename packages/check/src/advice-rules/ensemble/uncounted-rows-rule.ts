import { isDecoupled } from "@tritype/triton";
import { classModelPys } from "../../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../../rule.ts";

export const uncountedRows: Rule = modelRule(
  {
    code: "batch/uncounted-rows",
    message:
      "`{model}` accepts `input_ids` with any number of rows, but its `max_batch_size` is 0: requests never run together",
    help: "set `max_batch_size`, remove the first -1 from all `dims`, and add `dynamic_batching`; with `allow_ragged_batch: true` on the inputs, `execute` receives texts of different lengths and must pad them",
    reason:
      "The rows are part of `dims`, so Triton cannot tell that they are a batch: however many requests are waiting, `execute` receives them one by one. Reported for Python models with `dims: [ -1, -1 ]` for `input_ids` and -1 as the first dim of every other tensor.",
  },
  (model, report) => {
    const { backend, max_batch_size: size = 0, input = [], output = [] } = model.config;
    if (backend !== "python" || size !== 0 || model.config.sequence_batching !== undefined) return;
    if (isDecoupled(model.config)) return;
    const at = input.findIndex(({ name }) => name === "input_ids");
    const { dims = [] } = input[at] ?? {};
    if (dims.length !== 2 || output.length === 0) return;
    if (![...input, ...output].every(({ dims: [first] = [] }) => first === -1)) return;
    if (dims[1] !== -1 || classModelPys(model).some((file) => file.model.methods.has("auto_complete_config")))
      return;
    report([
      model.at(["input", at, "dims"], "rows, then tokens"),
      ...(model.written.max_batch_size === undefined ? [] : [model.at(["max_batch_size"], "no batches")]),
    ]);
  },
);
