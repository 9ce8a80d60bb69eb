import { modelRule, type Rule } from "../rule.ts";

const parameter = "TRITON_BATCH_STRATEGY_PATH";

const withSequences = modelRule(
  {
    code: "batch/strategy-with-sequences",
    triton: ["78"],
    atLoad: true,
    reason:
      "The sequence batcher forms its own batches, so Triton refuses to combine it with a batching library.",
    words:
      "TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy",
    message: "`{model}` has a batching library and sequence_batching",
    help: "remove the parameter TRITON_BATCH_STRATEGY_PATH",
  },
  ({ config, at }, report) => {
    if (config.parameters?.[parameter] === undefined || !config.sequence_batching) return;
    report([
      at(["parameters", parameter], "the library"),
      at(["sequence_batching"], "forms its own batches"),
    ]);
  },
);

const empty = modelRule(
  {
    code: "batch/empty-strategy",
    triton: ["78"],
    atLoad: true,
    reason: "Triton looks for the library at exactly the path in the parameter.",
    words: "Batching library path not found: ",
    message: "the batching library of `{model}` has an empty path",
    help: "give it the path of a library, or remove the parameter",
  },
  ({ config, at }, report) => {
    const library = config.parameters?.[parameter];
    if (library === undefined || config.sequence_batching || config.platform === "ensemble") return;
    if (!library.string_value) report(at(["parameters", parameter], "empty"));
  },
);

export const batchStrategyRules: readonly Rule[] = [withSequences, empty];
