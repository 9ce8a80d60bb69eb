import { isDecoupled } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import { configOf, mapOf } from "./check-members.ts";
import { ensembleGraph } from "../model/ensemble-graph.ts";
import type { MemberStep, StepPlace } from "./ensemble-problem.ts";

/**
 * Follows responses of decoupled models through an ensemble. Every decoupled step starts its own stream, and all inputs of a step
 * must come from the same stream. `joins` are the steps where two streams meet; undefined represents the ensemble's outputs.
 */
export const decoupledFlow = (
  { config }: ModelContext,
  steps: readonly StepPlace[],
  members: readonly MemberStep[],
): { readonly decoupled: boolean; readonly joins: readonly (StepPlace | undefined)[] } => {
  const graph = ensembleGraph(config);
  if (graph === undefined || !graph.readsAll || !graph.writesAll) return { decoupled: false, joins: [] };
  const places = new Map(steps.map((at) => [at.index, at]));
  const known = new Map(members.map(({ index, member }) => [index, member]));
  const streams = new Map<string, number>([...graph.inputs].map((input) => [input, 0]));
  const joins: (StepPlace | undefined)[] = [];
  let last = 0;
  // The output of a join does not count as part of a stream, so the join is reported only once.
  const streamsOf = (tensors: readonly string[]) => [
    ...new Set(tensors.flatMap((tensor) => streams.get(tensor) ?? [])),
  ];
  for (const index of graph.order) {
    const at = places.get(index);
    if (at === undefined) continue;
    const [stream, ...others] = streamsOf(Object.values(mapOf(at, "input")));
    // A step output that overwrites an input of the ensemble is not followed.
    const outputs = Object.values(mapOf(at, "output")).filter((tensor) => !graph.inputs.has(tensor));
    if (stream === undefined || outputs.length === 0) continue;
    if (others.length > 0) {
      joins.push(at);
      continue;
    }
    // An unknown step passes on its stream: even if it were decoupled, different streams would remain different.
    const member = known.get(index);
    const decoupled = member && isDecoupled(configOf(member));
    const next = decoupled ? ++last : stream;
    for (const tensor of outputs) streams.set(tensor, next);
  }
  if (streamsOf([...graph.outputs]).length > 1 && joins.length === 0) joins.push(undefined);
  return { decoupled: last > 0, joins };
};
