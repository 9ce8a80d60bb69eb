import { ensembleGraph, ensembleSteps } from "../../model/ensemble-graph.ts";
import type { CheckedModel, ModelContext, RepositoryContext } from "../../model-context.ts";
import { repositoryRule, type Rule } from "../../rule.ts";

const field = ["dynamic_batching", "max_queue_delay_microseconds"] as const;

/** An ensemble member that waits for a batch after an earlier member has already waited for one. */
export const delaysAddUp: Rule = repositoryRule(
  {
    code: "batch/delays-add-up",
    message:
      "`{model}` waits up to {own} for a batch, after `{first}` has already waited up to {before}: each request of `{ensemble}` can wait for both",
    help: "remove `max_queue_delay_microseconds` from all members but the slowest; requests that ran in one batch reach the next model together",
    reason:
      "The delays of members that run one after another add up. A request that cannot be merged with others, such as one from a single client, waits for all of them without any benefit. After a model that forms batches, requests arrive together and merge without a delay.",
  },
  (repository, report) => {
    const waiting = [...repository.models.values()].filter((one) => delayOf(one) > 0);
    if (waiting.length < 2) return;
    const reported = new Set<ModelContext>();
    for (const { model: ensemble } of repository.models.values())
      walk(repository, ensemble, new Map(), (first, then) => {
        if (reported.has(then.model)) return;
        reported.add(then.model);
        report([then.model.at(field, "waits again"), first.model.at(field, "waits first")], {
          model: then.model.name,
          own: shown(delayOf(then)),
          first: first.model.name,
          before: shown(delayOf(first)),
          ensemble: ensemble.name,
        });
      });
  },
);

const delayOf = ({ assumed }: CheckedModel): number => {
  const { dynamic_batching: dynamic, max_batch_size: size = 0 } = assumed ?? {};
  return size > 1 ? (dynamic?.max_queue_delay_microseconds ?? 0) : 0;
};

const shown = (microseconds: number): string =>
  microseconds < 1000 ? `${microseconds} µs` : `${microseconds / 1000} ms`;

type Tensors = ReadonlyMap<string, readonly CheckedModel[]>;

/** Maximum depth to which nested ensembles are followed, because a cycle would never end. */
const deepest = 8;

/**
 * Follows the tensors of an ensemble.
 * @param inputs The ensemble's inputs, each with the models that have already waited.
 * @param onSecond Called for each pair of models that wait consecutively.
 * @returns The ensemble's tensors, each with the models that have already waited.
 */
const walk = (
  repository: RepositoryContext,
  { config }: ModelContext,
  inputs: Tensors,
  onSecond: (first: CheckedModel, then: CheckedModel) => void,
  depth = 0,
): Tensors => {
  const tensors = new Map(inputs);
  const steps = ensembleSteps(config) ?? [];
  for (const index of depth > deepest ? [] : (ensembleGraph(config)?.order ?? [])) {
    const { model_name = "", input_map = {}, output_map = {} } = steps[index] ?? {};
    const member = repository.models.get(model_name);
    const before = (tensor: string): readonly CheckedModel[] => tensors.get(tensor) ?? [];
    const inside = new Map(Object.entries(input_map).map(([port, tensor]) => [port, before(tensor)]));
    const all = [...new Set([...inside.values()].flat())];
    const nested =
      member?.model.config.ensemble_scheduling === undefined
        ? undefined
        : walk(repository, member.model, inside, onSecond, depth + 1);
    const waits = member !== undefined && delayOf(member) > 0;
    const [first] = all;
    if (waits && first !== undefined) onSecond(first, member);
    for (const [port, tensor] of Object.entries(output_map))
      tensors.set(tensor, nested?.get(port) ?? (waits ? [...all, member] : all));
  }
  return tensors;
};
