import type { CheckedModel } from "../model-context.ts";
import { onnxFiles } from "../model/onnx-file.ts";
import { classModelPys } from "../python/model-py/model-py.ts";
import { repositoryRule, type Rule } from "../rule.ts";
import { openInputs } from "./ensemble/open-inputs.ts";

const inertBatching: Rule = repositoryRule(
  {
    code: "batch/inert",
    triton: ["69"],
    judged: "ours",
    message:
      "`{model}` has `dynamic_batching`, but its `max_batch_size` is {size}: requests are never merged",
    help: "set a `max_batch_size` above 1, or remove `dynamic_batching`",
    reason: "Triton loads the model but runs every request separately, which reduces throughput.",
  },
  ({ models }, report) => {
    for (const checked of models.values()) {
      const { model, assumed } = checked;
      const { dynamic_batching: dynamic, max_batch_size: size = 0 } = assumed ?? {};
      if (dynamic === undefined || model.written.dynamic_batching === undefined) continue;
      if (size < 0 || size > 1) continue;
      // The queue still handles priorities and timeouts.
      if (dynamic.priority_levels || dynamic.default_queue_policy || dynamic.preserve_ordering) continue;
      if (completesElsewhere(checked)) continue;
      report(
        [
          model.at(["dynamic_batching"], "has no effect"),
          ...(model.written.max_batch_size === undefined ? [] : [model.at(["max_batch_size"], "the limit")]),
        ],
        { model: model.name, size },
      );
    }
  },
);

const oneRow: Rule = repositoryRule(
  {
    code: "batch/one-row",
    message: "`{model}` accepts only one row at a time: its `max_batch_size` is 1",
    help: "set `max_batch_size` to the largest batch that fits, and add `dynamic_batching`; export the model with an open batch dimension if it has none",
    reason:
      'Requests never run together, however many are waiting, and a request with two rows is refused: "inference request batch-size must be <= 1". Reported for PyTorch models, and for ONNX models whose file leaves the batch dimension open.',
  },
  ({ models }, report) => {
    for (const { model, refused } of models.values()) {
      const { max_batch_size: size, dynamic_batching: dynamic, sequence_batching: sequence } = model.written;
      if (refused !== undefined || size !== 1 || dynamic !== undefined || sequence !== undefined) continue;
      if (model.config.backend === "pytorch" || hasOpenBatch(model))
        report(model.at(["max_batch_size"], "one row"), { model: model.name });
    }
  },
);

/** Whether every tensor of an ONNX file begins with a dimension of variable size. */
const hasOpenBatch = (model: CheckedModel["model"]): boolean => {
  if (model.config.backend !== "onnxruntime" || model.options.configsOnly === true) return false;
  const found = onnxFiles(model).at(-1)?.found;
  if (found?.kind !== "graph") return false;
  const { inputs, outputs } = found.graph.signature;
  return [...inputs, ...outputs].every(({ dims }) => typeof dims?.[0] === "string");
};

/** Whether the backend may still raise `max_batch_size` in a way that the repository does not reveal. */
const completesElsewhere = ({ model }: CheckedModel): boolean => {
  if (model.options.strict === true || model.written.max_batch_size === 1) return false;
  const { backend } = model.config;
  if (backend === "pytorch") return false;
  if (model.options.configsOnly === true) return true;
  if (backend === "onnxruntime") return false;
  if (backend !== "python") return true;
  const files = classModelPys(model);
  return (
    files.length === 0 ||
    files.some((file) => file.model.open || file.model.methods.has("auto_complete_config"))
  );
};

const rarelyMerges: Rule = repositoryRule(
  {
    code: "batch/rarely-merges",
    triton: ["54"],
    judged: "ours",
    message: "dynamic batching of `{model}` only merges requests of equal shape, but {why}",
    help: 'pad to a few lengths (`pad_to_multiple_of=64`) or to one (`padding="max_length"`), so that shapes are equal; for an input of a Python model, you can set `allow_ragged_batch: true` instead',
    reason:
      "Triton only merges requests whose variable dimensions are all equal. Texts in separate requests rarely have the same number of tokens, and files rarely have the same number of bytes, so nearly every request runs alone after waiting in the queue.",
  },
  (repository, report) => {
    const said = new Set<string>();
    for (const { checked, port, why, place, help } of openInputs(repository)) {
      const { model, assumed } = checked;
      const { dynamic_batching: dynamic, max_batch_size: size = 0, input = [] } = assumed ?? {};
      const declared = input.find(({ name }) => name === port);
      if (model.written.dynamic_batching === undefined) continue;
      if (dynamic === undefined || size <= 1 || declared === undefined || said.has(model.name)) continue;
      if (declared.allow_ragged_batch === true || !(declared.dims ?? []).includes(-1)) continue;
      said.add(model.name);
      report([model.at(["dynamic_batching"], "hardly ever merges"), place], { model: model.name, why, help });
    }
  },
);

const queueStalls: Rule = repositoryRule(
  {
    code: "batch/queue-stalls",
    since: "24.03",
    message: "with {fields}, requests to `{model}` can wait for half a second although an instance is free",
    help: "remove {fields} if you can do without: clients can set deadlines, and a proxy can limit the number of requests",
    reason:
      "With priorities, a limited queue or timeouts in the queue, Triton only forms a batch while an instance is waiting for one. It looks when a request arrives, at the end of an execution, which is often a moment before the instance waits, and after 500 ms. On Triton 24.10, a Python model that takes 2 ms answered one client 25 to 137 times per second with `max_queue_size`, and about 360 times without; in two of three runs, at least one request in a hundred took half a second.",
  },
  ({ models }, report) => {
    for (const { model, refused } of models.values()) {
      const { priority_levels: levels, default_queue_policy: policy } = model.config.dynamic_batching ?? {};
      // Without levels, `priority_queue_policy` has no effect. Source: `PriorityQueue` of Triton core.
      const paths = [
        ...(levels ? [["priority_levels"]] : []),
        ...queueLimits.filter((limit) => policy?.[limit]).map((limit) => ["default_queue_policy", limit]),
      ];
      if (refused !== undefined || paths.length === 0) continue;
      report(
        paths.map((path) => model.at(["dynamic_batching", ...path], "forms no batch ahead")),
        {
          model: model.name,
          fields: new Intl.ListFormat("en").format(paths.map((path) => `\`${path.at(-1)}\``)),
          help: levels
            ? "remove `priority_levels` if you can do without: urgent requests can use a copy of the model with another name, which has a queue of its own"
            : undefined,
        },
      );
    }
  },
);

const queueLimits = ["max_queue_size", "default_timeout_microseconds", "allow_timeout_override"] as const;

export const batchingRules: readonly Rule[] = [inertBatching, oneRow, rarelyMerges, queueStalls];
