import { dtypeOfConfigName, type StepDefinition } from "@tritype/core";
import { lowerModelFields } from "@tritype/triton";
import { rawConfig, rawFields } from "../emit/field-places.ts";
import type { Program } from "./program.ts";
import { throughEnsembles } from "./through-ensembles.ts";

/**
 * The dtype of the sequence IDs of a model with sequences; undefined for other models. An ensemble has sequences if one
 * of its steps does: Triton passes a request's position in its sequence on to every step.
 */
export type SequenceIdsOf = (model: string) => string | undefined;

export const findSequences = ({ ensembles, steps }: Pick<Program, "ensembles" | "steps">): SequenceIdsOf => {
  return throughEnsembles(new Map([...steps].flatMap(([name, step]) => idsOf(name, step))), ensembles);
};

/** The step that requires a model's requests to belong to a sequence; undefined for other models. */
export const findSequenceSteps = ({
  ensembles,
  steps,
}: Pick<Program, "ensembles" | "steps">): ((model: string) => StepDefinition | undefined) =>
  throughEnsembles(new Map([...steps].filter(([, step]) => hasSequences(step))), ensembles);

const hasSequences = (step: StepDefinition): boolean =>
  step.options["sequenceBatching"] !== undefined || rawFields(step).has("sequence_batching");

/** Any numeric type works if the model does not read the ID. Returns nothing for fields with mistakes, which are reported elsewhere. */
const idsOf = (name: string, step: StepDefinition): readonly [string, string][] => {
  const { sequenceBatching } = step.options;
  const lowered = lowerModelFields(sequenceBatching === undefined ? {} : { sequenceBatching });
  const batching =
    rawConfig(step).sequence_batching ??
    ("problem" in lowered ? undefined : lowered.config.sequence_batching);
  if (batching === undefined) return [];
  const controls = (batching.control_input ?? []).flatMap(({ control = [] }) => control);
  const id = controls.find(({ kind }) => kind === "CONTROL_SEQUENCE_CORRID");
  return [[name, dtypeOfConfigName(id?.data_type ?? "") ?? "UINT64"]];
};
