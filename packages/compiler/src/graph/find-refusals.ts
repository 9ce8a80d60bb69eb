import type { Refusals, StepKind } from "../step-kind.ts";
import type { Program } from "./program.ts";

/** Whether a step or an ensemble may refuse requests; an ensemble refuses a request if one of its steps does. */
export const findRefusals = (
  { steps, ensembles }: Program,
  kinds: ReadonlyMap<string, StepKind>,
): ((name: string) => Refusals) => {
  const known = new Map<string, Refusals>();
  const find = (name: string): Refusals => {
    const ensemble = ensembles.get(name);
    if (ensemble === undefined) return kinds.get(steps.get(name)?.kind ?? "")?.refusals ?? "none";
    const members = ensemble.graph.nodes.map((node) =>
      node.kind === "step" ? refusalsOf(node.step) : "none",
    );
    return (["immediate", "held"] as const).find((refusals) => members.includes(refusals)) ?? "none";
  };
  const refusalsOf = (name: string): Refusals => {
    const found = known.get(name) ?? find(name);
    known.set(name, found);
    return found;
  };
  return refusalsOf;
};
