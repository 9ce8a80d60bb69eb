import type { StepDefinition } from "@tritype/core";
import type { ModelConfig, TritonRelease } from "@tritype/triton";
import type { CompilerHost } from "../compiler-host.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import type { StepContext, StepKind, Twin } from "../step-kind.ts";
import type { Tree } from "../tree.ts";
import type { DockerOptions } from "./docker/docker-options.ts";
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
  /** False: no container is described. */
  readonly docker: DockerOptions | false;
}

/** One model of the repository: its folder's files and what the manifest says of it. */
export interface EmittedModel {
  readonly name: string;
  readonly kind: string;
  readonly definition: StepDefinition | undefined;
  /** What config.pbtxt says. */
  readonly config: ModelConfig;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  readonly twin?: Twin | undefined;
  readonly requirements: readonly string[];
  readonly needs: readonly string[];
}
