import { remembered } from "@tritype/core";
import type { CheckedModel, RepositoryContext } from "../../model-context.ts";

interface End {
  readonly checked: CheckedModel;
  /** Name of the model's own input or output. */
  readonly port: string;
}

/** A step's output that another step reads, in the same ensemble or in a nested one. */
export interface EnsembleEdge {
  /** The ensemble's name for the tensor. */
  readonly tensor: string;
  readonly from: End;
  readonly to: End;
}

/**
 * All edges between steps whose models can be read, including refused models; an ensemble used as a step is replaced by
 * its own steps.
 */
export const ensembleEdges: (repository: RepositoryContext) => readonly EnsembleEdge[] = remembered(
  ({ models }) => {
    const edges: EnsembleEdge[] = [];
    for (const { model } of models.values()) {
      const steps = model.config.ensemble_scheduling?.step ?? [];
      const sources = new Map<string, readonly End[]>();
      for (const { model_name = "", output_map = {} } of steps)
        for (const [port, tensor] of Object.entries(output_map))
          sources.set(tensor, endsOf(models, model_name, port, "output_map"));
      for (const { model_name = "", input_map = {} } of steps)
        for (const [port, tensor] of Object.entries(input_map)) {
          const from = sources.get(tensor) ?? [];
          const to = from.length === 0 ? [] : endsOf(models, model_name, port, "input_map");
          for (const one of from) for (const other of to) edges.push({ tensor, from: one, to: other });
        }
    }
    return edges;
  },
);

/** Maximum depth to which nested ensembles are followed, because a cycle would give an infinite graph. */
const deepest = 8;

const endsOf = (
  models: RepositoryContext["models"],
  name: string,
  port: string,
  map: "input_map" | "output_map",
  depth = 0,
): readonly End[] => {
  const checked = models.get(name);
  if (checked === undefined || depth > deepest) return [];
  const steps = checked.model.config.ensemble_scheduling?.step;
  if (steps === undefined) return [{ checked, port }];
  return steps.flatMap((step) =>
    Object.entries(step[map] ?? {}).flatMap(([inner, tensor]) =>
      tensor === port ? endsOf(models, step.model_name ?? "", inner, map, depth + 1) : [],
    ),
  );
};
