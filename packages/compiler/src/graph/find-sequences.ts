import type { StepDefinition } from "@tritype/core";
import type { SequenceBatching } from "@tritype/dsl";
import { lowerModelFields } from "@tritype/triton";
import type { Program } from "./program.ts";

/**
 * For a model with sequences: the dtype of their ids; undefined for others. An ensemble has sequences if one of its steps does: Triton
 * hands a request's place in its sequence on to every step.
 */
export type SequenceIdsOf = (model: string) => string | undefined;

export const findSequences = ({ ensembles, steps }: Pick<Program, "ensembles" | "steps">): SequenceIdsOf => {
  const ids = new Map([...steps].flatMap(([name, step]) => idsOf(name, step)));
  // An ensemble comes after those that it calls.
  for (const { name, graph } of ensembles.values()) {
    const [first] = graph.nodes.flatMap((node) => (node.kind === "step" ? (ids.get(node.step) ?? []) : []));
    if (first !== undefined) ids.set(name, first);
  }
  return (model) => ids.get(model);
};

/** Any number will do if the model does not read the id. None for fields with mistakes, which are reported elsewhere. */
const idsOf = (name: string, { options }: StepDefinition): readonly [string, string][] => {
  const batching = options["sequenceBatching"] as SequenceBatching | undefined;
  if (batching === undefined || "problem" in lowerModelFields({ sequenceBatching: batching })) return [];
  const controls = batching.controlInput?.flatMap(({ control }) => control);
  const dtype = controls?.find(({ kind }) => kind === "corrid")?.dataType ?? "UINT64";
  return [[name, dtype]];
};
