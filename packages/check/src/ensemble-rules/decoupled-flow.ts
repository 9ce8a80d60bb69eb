import type { ModelContext } from "../model-context.ts";
import { configOf, mapOf } from "./check-members.ts";
import { ensembleGraph } from "./ensemble-graph.ts";
import type { MemberStep } from "./ensemble-problem.ts";

/**
 * Follows responses of decoupled models through an ensemble. Every decoupled step starts a stream of its own, and the
 * inputs of a step must come from one. `joins` are the steps where two meet; undefined stands for the ensemble's outputs.
 */
export const decoupledFlow = (
  { config }: ModelContext,
  steps: readonly MemberStep[],
): { readonly decoupled: boolean; readonly joins: readonly (MemberStep | undefined)[] } => {
  const graph = ensembleGraph(config);
  if (graph === undefined) return { decoupled: false, joins: [] };
  const streams = new Map<string, number>([...graph.inputs].map((input) => [input, 0]));
  const joins: (MemberStep | undefined)[] = [];
  const waiting = new Set(steps);
  let last = 0;
  for (let before = -1; before !== waiting.size; ) {
    before = waiting.size;
    for (const step of waiting) {
      const inputs = Object.values(mapOf(step, "input"));
      if (!inputs.every((tensor) => streams.has(tensor))) continue;
      waiting.delete(step);
      const [stream = 0, ...others] = new Set(inputs.map((tensor) => streams.get(tensor)));
      // What a step writes over an input of the ensemble is not followed.
      const outputs = Object.values(mapOf(step, "output")).filter((tensor) => !graph.inputs.has(tensor));
      if (others.length > 0 && outputs.length > 0) joins.push(step);
      const decoupled = configOf(step.member).model_transaction_policy?.decoupled === true;
      const next = decoupled && outputs.length > 0 ? ++last : stream;
      for (const tensor of outputs) streams.set(tensor, next);
    }
  }
  const ends = new Set([...graph.outputs].map((output) => streams.get(output)));
  if (ends.size > 1 && joins.length === 0) joins.push(undefined);
  return { decoupled: last > 0, joins };
};
