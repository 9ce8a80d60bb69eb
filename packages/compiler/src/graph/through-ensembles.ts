import type { Program } from "./program.ts";

/** A property of models, by name. An ensemble inherits the property from the first of its steps that has it. */
export const throughEnsembles = <T>(
  own: ReadonlyMap<string, T>,
  ensembles: Program["ensembles"],
): ((model: string) => T | undefined) => {
  const all = new Map(own);
  // Each ensemble comes after those that it calls.
  for (const { name, graph } of ensembles.values()) {
    const [first] = graph.nodes.flatMap((node) => (node.kind === "step" ? (all.get(node.step) ?? []) : []));
    if (first !== undefined) all.set(name, first);
  }
  return (model) => all.get(model);
};
