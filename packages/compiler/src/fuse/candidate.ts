import { groupBy, remembered, type StepDefinition, type StepNode } from "@tritype/core";
import type { CompilerHost } from "../compiler-host.ts";
import type { FusedCall, PlannedEnsemble } from "../emit/plan-ensemble.ts";
import type { Program } from "../graph/program.ts";
import type { ReadStep, ReadSteps, StepContext, StepKind } from "../step-kind.ts";

export interface FuseOptions {
  readonly program: Program;
  readonly plans: ReadonlyMap<string, PlannedEnsemble>;
  readonly steps: ReadSteps;
  readonly contextOf: (step: StepDefinition) => StepContext;
  readonly host: CompilerHost;
  readonly kinds: ReadonlyMap<string, StepKind>;
  /** Plans an ensemble again, with tensor math fused into the models of some calls. */
  readonly replan: (ensemble: PlannedEnsemble, fused: readonly FusedCall[]) => PlannedEnsemble;
}

/** A step whose model can contain what is around all of its calls. */
export interface Candidate {
  /** The step, with the inputs and outputs of the fused model. */
  readonly step: StepDefinition;
  readonly read: ReadStep;
  /** By ensemble. */
  readonly calls: ReadonlyMap<string, readonly FusedCall[]>;
}

/** Whether the author wants the step's model to contain what is around its calls. By default, that is only allowed. */
export const isAsked = (step: StepDefinition | undefined): boolean => step?.options["fuse"] === true;

/** The calls to a step in all ensembles. */
export const callsTo = (step: string, plans: FuseOptions["plans"]): readonly Call[] =>
  callsIn(plans).get(step) ?? [];

const callsIn = remembered((plans: FuseOptions["plans"]) =>
  groupBy(
    [...plans.values()].flatMap((planned) =>
      planned.definition.graph.nodes.flatMap((node) =>
        node.kind === "step" ? [[node.step, { planned, node }] as const] : [],
      ),
    ),
  ),
);

/** A call to a step in an ensemble. */
export interface Call {
  readonly planned: PlannedEnsemble;
  readonly node: StepNode;
}
