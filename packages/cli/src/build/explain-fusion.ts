import type { Graph } from "@tritype/core";
import type { CompiledProject } from "@tritype/project";

/** One line for each model that contains others, and for each model that could have been part of another one. */
export const explainFusion = ({
  compilation: { build },
}: Pick<CompiledProject, "compilation">): readonly string[] => {
  const { models = [], ensembles = [] } = build?.manifest ?? {};
  const nodes = ensembles.flatMap(({ graph }) => (graph as Graph).nodes);
  const steps = new Set(nodes.flatMap((node) => (node.kind === "step" ? [node.step] : [])));
  const shown = (part: string): string => (steps.has(part) ? part : `${part} (tensor math)`);
  return models.flatMap(({ name, fused, notFused }) => [
    ...(fused === undefined ? [] : [`${name}  contains ${fused.map(shown).join(", ")}`]),
    ...(notFused === undefined ? [] : [`${name}  not part of another model: ${notFused}`]),
  ]);
};
