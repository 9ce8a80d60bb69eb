import { modelRule, type Rule } from "../rule.ts";

const cacheRule = modelRule(
  {
    code: "sequence/response-cache",
    triton: ["79"],
    reason: "The response to a request in a sequence depends on the requests before it.",
    words:
      "Response Cache does not currently support model {model} with sequence batching scheduler. Please disable the response cache.",
    message: "`{model}` has both `response_cache` and `sequence_batching`",
    help: "remove `response_cache`",
  },
  (model, report) => {
    if (model.config.sequence_batching === undefined || model.config.response_cache?.enable !== true) return;
    report(model.at(["response_cache", "enable"], "cached here"));
  },
);

const preferredRule = modelRule(
  {
    code: "sequence/preferred-batch-size",
    triton: ["87"],
    reason: "The scheduler cannot form batches that the model does not accept.",
    words: {
      positive: "sequence batching preferred batch size must be positive for {model}",
      most: "sequence batching preferred batch size must be <= max batch size for {model}",
    },
    message:
      "`{model}` prefers sequence batches of {size}; the size must be from 1 to its max_batch_size, {limit}",
  },
  (model, report) => {
    const limit = model.config.max_batch_size ?? 0;
    for (const [i, size] of (model.config.sequence_batching?.oldest?.preferred_batch_size ?? []).entries())
      if (size <= 0 || size > limit)
        report(
          model.at(["sequence_batching", "oldest", "preferred_batch_size", i], `not from 1 to ${limit}`),
          { size, limit, words: size <= 0 ? "positive" : "most" },
        );
  },
);

const utilizationRule = modelRule(
  {
    code: "sequence/slot-utilization",
    triton: ["88"],
    reason: "The value is a fraction of the batch slots.",
    words: "sequence batching minimum slot utilization must be in range (0.0, 1.0] for {model}",
    message: "`minimum_slot_utilization` of `{model}` is {share}; it must be from 0 to 1",
  },
  (model, report) => {
    const share = model.config.sequence_batching?.direct?.minimum_slot_utilization ?? 0;
    if (!(share < 0 || share > 1)) return;
    report(model.at(["sequence_batching", "direct", "minimum_slot_utilization"], "not from 0 to 1"), {
      share,
    });
  },
);

export const cacheRules: readonly Rule[] = [cacheRule];
export const batcherRules: readonly Rule[] = [preferredRule, utilizationRule];
