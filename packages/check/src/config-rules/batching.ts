import type { ModelQueuePolicy } from "@tritype/triton";
import type { FieldPath } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

const negative = modelRule(
  {
    code: "batch/negative-size",
    triton: ["66"],
    reason: "0 means no batching; negative values are invalid.",
    words: "'max_batch_size' must be non-negative value for {model}",
    message: "max_batch_size of `{model}` is {size}",
    help: "write 0 for a model without batching",
  },
  ({ config, at }, report) => {
    const { max_batch_size: size = 0 } = config;
    if (size < 0) report(at(["max_batch_size"], "below 0"), { size });
  },
);

const preferred = modelRule(
  {
    code: "batch/preferred-size",
    triton: ["67", "68"],
    reason:
      "Triton checks preferred sizes before a backend completes max_batch_size, so a configuration that leaves max_batch_size to the backend fails.",
    words: {
      positive: "dynamic batching preferred size must be positive for {model}",
      most: "dynamic batching preferred size must be <= max batch size for {model}",
    },
    message: "preferred batch size {size} of `{model}` is not between 1 and max_batch_size, which is {limit}",
    help: "set max_batch_size, or remove preferred_batch_size",
  },
  ({ config, at }, report) => {
    const { dynamic_batching: dynamic, max_batch_size: limit = 0 } = config;
    for (const [i, size] of (dynamic?.preferred_batch_size ?? []).entries())
      if (size <= 0 || size > limit)
        report(
          [
            at(["dynamic_batching", "preferred_batch_size", i], `${size}`),
            at(["max_batch_size"], `max_batch_size is ${limit}`),
          ],
          {
            size,
            limit,
            help: limit > 0 ? forPreferred(size, limit) : undefined,
            words: size <= 0 ? "positive" : "most",
          },
        );
  },
);

const forPreferred = (size: number, limit: number): string =>
  size > limit
    ? `raise max_batch_size to ${size}, or prefer at most ${limit}`
    : `prefer sizes from 1 to ${limit}`;

const defaultPriority = modelRule(
  {
    code: "batch/default-priority",
    triton: ["70", "72"],
    reason:
      "Requests without a priority get the default level. If you set no default, it is 0, which is not a valid level.",
    words: "default priority level must be in range [1, {levels:n}] for {model}",
    message: "default_priority_level of `{model}` is {level}, but the levels are 1 to {levels}",
    help: "write a `default_priority_level` from 1 to {levels}",
  },
  ({ config, at }, report) => {
    const { priority_levels: levels = 0, default_priority_level: level = 0 } = config.dynamic_batching ?? {};
    if (levels !== 0 && (level === 0 || level > levels))
      report(
        [
          at(["dynamic_batching", "default_priority_level"], `${level}`),
          at(["dynamic_batching", "priority_levels"], `${levels} levels`),
        ],
        { level, levels },
      );
  },
);

const priorityPolicy = modelRule(
  {
    code: "batch/priority-policy",
    triton: ["71", "72"],
    reason: "Triton refuses a queue policy for a level that does not exist.",
    words: "priority queue policy must have priority level in range [1, {levels:n}] for {model}",
    message: "a queue policy of `{model}` is for priority {level}, but the levels are 1 to {levels}",
    help: "use keys from 1 to {levels}",
  },
  ({ config, at }, report) => {
    const { priority_levels: levels = 0, priority_queue_policy: policies = {} } =
      config.dynamic_batching ?? {};
    for (const level of levels === 0 ? [] : Object.keys(policies))
      if (Number(level) === 0 || Number(level) > levels)
        report(at(["dynamic_batching", "priority_queue_policy", level], "no such level"), { level, levels });
  },
);

const orderedLevels = modelRule(
  {
    code: "batch/ordered-priorities",
    triton: ["73"],
    reason: "Priorities reorder requests, which preserve_ordering forbids.",
    words: "Only one priority level is allowed when 'preserve_ordering' is true for {model}",
    message: "`{model}` preserves the order of requests and has {levels} priority levels",
    help: "remove preserve_ordering or priority_levels",
  },
  ({ config, at }, report) => {
    const { preserve_ordering: ordered, priority_levels: levels = 0 } = config.dynamic_batching ?? {};
    if (ordered === true && levels > 1)
      report(
        [
          at(["dynamic_batching", "priority_levels"], `${levels} levels`),
          at(["dynamic_batching", "preserve_ordering"], "keeps the order"),
        ],
        { levels },
      );
  },
);

const orderedDelay = modelRule(
  {
    code: "batch/ordered-delay",
    triton: ["74"],
    reason: "Other requests overtake a delayed one, which preserve_ordering forbids.",
    words: "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for {model}",
    message: "`{model}` preserves the order of requests and delays those that time out",
    help: "write `timeout_action: REJECT`, or remove preserve_ordering",
  },
  ({ config, at }, report) => {
    const dynamic = config.dynamic_batching;
    if (dynamic?.preserve_ordering !== true) return;
    const policies: (readonly [ModelQueuePolicy | undefined, FieldPath])[] = [
      [dynamic.default_queue_policy, ["default_queue_policy"]],
      ...Object.entries(dynamic.priority_queue_policy ?? {}).map(
        ([level, policy]) => [policy, ["priority_queue_policy", level]] as const,
      ),
    ];
    for (const [policy, path] of policies)
      if (policy?.timeout_action === "DELAY" && policy.default_timeout_microseconds)
        report([
          at(["dynamic_batching", ...path, "timeout_action"], "delays"),
          at(["dynamic_batching", "preserve_ordering"], "keeps the order"),
        ]);
  },
);

export const batchingRules: readonly Rule[] = [
  negative,
  preferred,
  defaultPriority,
  priorityPolicy,
  orderedLevels,
  orderedDelay,
];
