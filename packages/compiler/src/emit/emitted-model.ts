import type { StepDefinition } from "@tritype/core";
import type { TritonRelease } from "@tritype/triton";
import type { CompilerHost } from "../compiler-host.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import type { StepContext, StepKind, Twin } from "../step-kind.ts";
import type { Tree } from "../tree.ts";
import type { CapturedWarmup } from "../warmup/captured-warmup.ts";
import type { EnsembleSample } from "../warmup/ensemble-samples.ts";
import type { ManifestWarmupRequest } from "@tritype/manifest";
import type { PlannedEnsemble } from "./plan-ensemble.ts";

/** What emission needs of a checked and planned program. */
export interface EmitOptions {
  readonly program: Program;
  /** Which ensembles call a step. */
  readonly callersOf: (step: string) => readonly EnsembleDefinition[];
  readonly plans: ReadonlyMap<string, PlannedEnsemble>;
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly host: CompilerHost;
  readonly release: TritonRelease;
  readonly contextOf: (step: StepDefinition) => StepContext;
  /** Of all ensembles. */
  readonly samples: readonly EnsembleSample[];
  /** What reached the models when the samples ran; undefined before they have. */
  readonly captured: CapturedWarmup | undefined;
}

/** One model of the repository: its folder's files and what the manifest says of it. */
export interface EmittedModel {
  readonly name: string;
  readonly kind: string;
  readonly definition: StepDefinition | undefined;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  readonly twin?: Twin | undefined;
  readonly requirements: readonly string[];
  readonly needs: readonly string[];
  /** Requests among its warmup that were captured. */
  readonly warmup?: readonly ManifestWarmupRequest[];
}
