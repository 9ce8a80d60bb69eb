import type { CheckedModel, RepositoryContext } from "../model-context.ts";

interface End {
  readonly checked: CheckedModel;
  /** Name of the model's own output or input. */
  readonly port: string;
}

/** One step's output that another step of the same ensemble takes. */
export interface EnsembleEdge {
  /** The ensemble's name for it. */
  readonly tensor: string;
  readonly from: End;
  readonly to: End;
}

/** All edges between steps whose models can be read; those of refused models too. */
export const ensembleEdges = ({ models }: RepositoryContext): readonly EnsembleEdge[] => {
  const edges: EnsembleEdge[] = [];
  for (const { model } of models.values()) {
    const steps = model.config.ensemble_scheduling?.step ?? [];
    const sources = new Map<string, End>();
    for (const { model_name = "", output_map = {} } of steps) {
      const checked = models.get(model_name);
      if (checked)
        for (const [port, tensor] of Object.entries(output_map)) sources.set(tensor, { checked, port });
    }
    for (const { model_name = "", input_map = {} } of steps) {
      const checked = models.get(model_name);
      for (const [port, tensor] of Object.entries(input_map)) {
        const from = sources.get(tensor);
        if (checked && from) edges.push({ tensor, from, to: { checked, port } });
      }
    }
  }
  return edges;
};
