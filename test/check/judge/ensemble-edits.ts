import type { ModelConfig, ModelEnsemblingStep, ModelInput, ModelOutput } from "@tritype/triton";
import { changeConfig, type Draft, type Edit, type Fields, patched } from "./draft.ts";
import { plainModel } from "./legal-single.ts";

const changeStep = (at: number, change: (step: ModelEnsemblingStep) => ModelEnsemblingStep): Edit =>
  changeSteps((steps) => steps.map((step, index) => (index === at ? change(step) : step)));
/** The steps of the ensemble. */
export const changeSteps = (
  change: (steps: readonly ModelEnsemblingStep[]) => readonly ModelEnsemblingStep[],
): Edit =>
  changeConfig((config) => ({
    ...config,
    ensemble_scheduling: { step: change(config.ensemble_scheduling?.step ?? []) },
  }));
/** Fields of one step. */
export const step = (at: number, fields: ModelEnsemblingStep): Edit =>
  changeStep(at, (one) => ({ ...one, ...fields }));
/** One step without a field. */
export const omitInStep = (at: number, name: keyof ModelEnsemblingStep): Edit =>
  changeStep(at, (one) => Object.fromEntries(Object.entries(one).filter(([key]) => key !== name)));

/** Fields of another model of the draft. */
export const member =
  (name: string, fields: Fields<ModelConfig>): Edit =>
  (draft) =>
    draft.map((model) => (model.name === name ? { ...model, config: patched(model.config, fields) } : model));
/** The draft without a model. */
export const without =
  (name: string): Edit =>
  (draft: Draft) =>
    draft.filter((model) => model.name !== name);
/** Inserts a model before all others. */
export const addModel =
  (name: string, config: ModelConfig): Edit =>
  (draft) => [plainModel(name, config), ...draft];
/** Sets fields of every input or output of another model. */
export const memberType = (
  name: string,
  side: "input" | "output",
  fields: Fields<ModelInput & ModelOutput>,
): Edit => member(name, (config) => ({ [side]: (config[side] ?? []).map((one) => patched(one, fields)) }));
