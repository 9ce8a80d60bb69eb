import type { StepDefinition } from "@tritype/core";
import { rawConfig } from "../emit/field-places.ts";
import type { ReadSteps } from "../step-kind.ts";
import type { Program } from "./program.ts";
import { throughEnsembles } from "./through-ensembles.ts";

/**
 * The step that makes a model send any number of responses to a request; undefined for other models. An ensemble
 * streams if one of its steps does; Triton derives this itself.
 */
export type StreamsOf = (model: string) => StepDefinition | undefined;

export const findStreams = ({ ensembles }: Pick<Program, "ensembles">, steps: ReadSteps): StreamsOf => {
  const streaming = new Map<string, StepDefinition>();
  for (const [name, { step, read }] of steps)
    if (read.streams === true || decoupledIn(step) === true) streaming.set(name, step);
  return throughEnsembles(streaming, ensembles);
};

/** Whether a step's author makes its model decoupled; undefined if the options do not say. */
export const decoupledIn = (step: Pick<StepDefinition, "options">): unknown => {
  const policy = step.options["modelTransactionPolicy"] as { readonly decoupled?: unknown } | undefined;
  const raw = rawConfig(step).model_transaction_policy;
  return raw === undefined ? policy?.decoupled : raw.decoupled === true;
};
