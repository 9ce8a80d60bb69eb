import type { CheckedModel } from "../model-context.ts";
import { classModelPys } from "../python/model-py.ts";
import { callsIn, valuesOf } from "../python/values.ts";
import { repositoryRule, type Rule } from "../rule.ts";
import { ensembleEdges } from "./ensemble-edges.ts";

const inertBatching: Rule = repositoryRule(
  {
    code: "batch/inert",
    triton: ["69"],
    severity: "warning",
    judged: "ours",
    message: "`{model}` has `dynamic_batching`, but its `max_batch_size` is {size}: nothing is ever merged",
    help: "set a `max_batch_size` above 1, or take `dynamic_batching` out",
    reason: "Triton loads it and runs every request alone; the expected throughput never comes.",
  },
  ({ models }, report) => {
    for (const checked of models.values()) {
      const { model, assumed } = checked;
      const { dynamic_batching: dynamic, max_batch_size: size = 0 } = assumed ?? {};
      if (dynamic === undefined || model.written.dynamic_batching === undefined) continue;
      if (size < 0 || size > 1) continue;
      // The queue keeps its use for priorities and timeouts.
      if (dynamic.priority_levels || dynamic.default_queue_policy || dynamic.preserve_ordering) continue;
      if (completesElsewhere(checked)) continue;
      report({
        with: { model: model.name, size },
        labels: [
          model.at(["dynamic_batching"], "has no effect"),
          ...(model.written.max_batch_size === undefined ? [] : [model.at(["max_batch_size"], "the limit")]),
        ],
      });
    }
  },
);

/** Whether the backend may still raise `max_batch_size` in a way that is not known here. */
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
    severity: "warning",
    judged: "ours",
    message:
      "dynamic batching of `{model}` merges requests of one shape only, and `{producer}` pads `{tensor}` to the longest text of each request",
    help: 'pad to a few lengths (`pad_to_multiple_of=64`) or to one (`padding="max_length"`), so that requests meet',
    reason:
      "Triton merges requests only when all of their variable dimensions are equal. Texts of single requests seldom have the same number of tokens, so nearly every request runs alone, after waiting in the queue.",
  },
  (repository, report) => {
    const said = new Set<string>();
    for (const { tensor, from, to } of ensembleEdges(repository)) {
      const { dynamic_batching: dynamic, max_batch_size: size = 0, input = [] } = to.checked.assumed ?? {};
      const index = input.findIndex(({ name }) => name === to.port);
      const port = input[index];
      if (dynamic === undefined || size <= 1 || port === undefined || said.has(to.checked.model.name))
        continue;
      if (port.allow_ragged_batch === true || !(port.dims ?? []).includes(-1)) continue;
      const place = padsToLongest(from.checked);
      if (place === undefined) continue;
      said.add(to.checked.model.name);
      report({
        with: { model: to.checked.model.name, producer: from.checked.model.name, tensor },
        labels: [to.checked.model.at(["dynamic_batching"], "hardly ever merges"), place],
      });
    }
  },
);

/** Where every tokenizer call of a model pads to the longest of its texts, without rounding. */
const padsToLongest = ({ model }: CheckedModel): ReturnType<CheckedModel["model"]["at"]> | undefined => {
  const [file, ...others] = classModelPys(model);
  if (file === undefined || others.length > 0) return undefined;
  const { resolve } = valuesOf(file.module);
  const calls = callsIn(file.module.body);
  const paddings = calls.flatMap(({ args }) => {
    const padding = args.find(({ name }) => name === "padding");
    return padding === undefined ? [] : [{ args, padding: padding.value }];
  });
  const [first] = paddings;
  const plain = paddings.every(({ args, padding }) => {
    const how = resolve(padding);
    const longest =
      (how.kind === "constant" && how.value === "True") || (how.kind === "text" && how.value === "longest");
    return longest && args.every(({ name, star }) => star === "" && name !== "pad_to_multiple_of");
  });
  return first !== undefined && plain && !/enable_padding|\.pad\(|np\.pad/.test(file.text)
    ? file.at(first.padding.from, "to the longest text of the request")
    : undefined;
};

export const batchingRules: readonly Rule[] = [inertBatching, rarelyMerges];
