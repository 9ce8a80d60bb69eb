import type { ModelEnsemblingStep } from "@tritype/triton";
import type { CheckedModel, FieldPath, ModelContext } from "../model-context.ts";
import type { TensorPlace } from "../model/tensor-place.ts";

/** A step with its position. */
export interface StepPlace {
  readonly index: number;
  readonly step: ModelEnsemblingStep;
  /** Name of its model. */
  readonly name: string;
}

/** A step whose model exists, with the reliable part of the model's configuration. */
export interface MemberStep extends StepPlace {
  readonly member: CheckedModel;
}

/** A reason why Triton refuses an ensemble because of its members. */
export type EnsembleProblem =
  | { readonly kind: "missing-model"; readonly at: StepPlace }
  | { readonly kind: "circular"; readonly at: StepPlace; readonly circle: readonly string[] }
  /** `circular`: the model is in a cycle of ensembles, or leads into one. */
  | {
      readonly kind: "refused-model";
      /** The first step that calls the model. */
      readonly at: StepPlace;
      readonly circular: boolean;
      /** Whether Triton refuses even the model's configuration, so that the ensemble does not find the model. */
      readonly polled: boolean;
      readonly steps: number;
    }
  | { readonly kind: "version"; readonly at: StepPlace; readonly versions: readonly string[] }
  | { readonly kind: "batch-size"; readonly at: MemberStep; readonly limit: number }
  | {
      readonly kind: "unknown-port";
      readonly at: MemberStep;
      readonly side: Side;
      readonly port: string;
      readonly tensor: string;
    }
  | { readonly kind: "unmapped-input"; readonly at: MemberStep; readonly port: string }
  | {
      readonly kind: "duplicate-output";
      readonly at: MemberStep;
      readonly port: string;
      readonly tensor: string;
    }
  | { readonly kind: "dtype"; readonly known: TensorPlace; readonly found: TensorPlace }
  | { readonly kind: "shape"; readonly known: TensorPlace; readonly found: TensorPlace }
  /** `named`: the model in Triton's message, which is the first to mention the tensor that the step writes. */
  | {
      readonly kind: "decoupled-join";
      readonly at: StepPlace | undefined;
      readonly named: string | undefined;
    }
  | { readonly kind: "decoupled-cache"; readonly at: MemberStep };

export type Side = "input" | "output";
export type Found<K extends EnsembleProblem["kind"]> = Extract<EnsembleProblem, { readonly kind: K }>;

/** The facts about an ensemble that follow from its known members. */
export interface ResolvedEnsemble {
  readonly model: ModelContext;
  readonly problems: readonly EnsembleProblem[];
  /** The steps whose models are known. */
  readonly steps: readonly MemberStep[];
  /** The first known definition of each tensor, and all definitions that were compared with it. */
  readonly places: ReadonlyMap<string, readonly TensorPlace[]>;
  /** The value that Triton computes; the configuration's own value is ignored. */
  readonly decoupled: boolean;
}

export const stepPath = (index: number, ...rest: FieldPath): FieldPath => [
  "ensemble_scheduling",
  "step",
  index,
  ...rest,
];
