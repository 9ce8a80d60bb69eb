import type { OptionPlace, Site, StepDefinition } from "@tritype/core";
import type { ModelConfig, TritonRelease } from "@tritype/triton";
import type { Manifest } from "@tritype/manifest";
import type { CompilerHost } from "../compiler-host.ts";
import type { SequenceIdsOf } from "../graph/find-sequences.ts";
import type { StreamsOf } from "../graph/find-streams.ts";
import type { Program } from "../graph/program.ts";
import type { ReadSteps, StepContext, StepModel, StepVersion, TensorNames } from "../step-kind.ts";
import type { Profiles } from "../profiles/in-profile.ts";
import type { Tree } from "../tree.ts";
import type { CapturedWarmup } from "../warmup/captured-warmup.ts";
import type { EnsembleSample } from "../warmup/ensemble-samples.ts";
import type { ManifestWarmupRequest } from "@tritype/manifest";
import type { DockerOptions } from "./docker/docker-options.ts";
import type { FuseDecisions } from "../fuse/fuse-program.ts";
import type { PlaceOf } from "./field-places.ts";
import type { PlannedEnsemble } from "./plan-ensemble.ts";

/** The parts of a checked and planned program that emission needs. */
export interface EmitOptions {
  readonly program: Program;
  /** The ensembles and exported steps that call a step. */
  readonly callersOf: (step: string) => readonly StepDefinition[];
  readonly plans: ReadonlyMap<string, PlannedEnsemble>;
  readonly steps: ReadSteps;
  readonly host: CompilerHost;
  readonly release: TritonRelease;
  readonly contextOf: (step: StepDefinition) => StepContext;
  readonly streamsOf: StreamsOf;
  readonly sequenceIdsOf: SequenceIdsOf;
  /** Whether the model delays its errors by 10 ms. */
  readonly holdsErrors: (model: string) => boolean;
  /** The project's profiles, and their positions in the source. */
  readonly profiles: Profiles;
  readonly profilePlaces: OptionPlace["fields"];
  /** The plans of all ensembles. */
  readonly samples: readonly EnsembleSample[];
  /** The tensors that reached the models when the samples ran; undefined before that. */
  readonly captured: CapturedWarmup | undefined;
  readonly append?: AppendOptions | undefined;
  /** The tensor math that is part of other models. Default: none. */
  readonly fusion?: FuseDecisions | undefined;
  /** If false, no container is described. */
  readonly docker: DockerOptions | false;
}

/** How a build adds versions to those in the build folder. */
export interface AppendOptions {
  /** The content of the folder: the last build's manifest, and its existing files. */
  readonly previous: { readonly manifest: Manifest; readonly tree: Tree } | undefined;
  /** Minimum number of a model's old versions that are kept. */
  readonly keep: number;
}

/** One model of the repository: the files of its folder and its manifest entry. */
export interface EmittedModel {
  readonly name: string;
  readonly kind: string;
  readonly definition: StepDefinition | undefined;
  /** The position that the manifest names, if it is not that of the definition. */
  readonly site?: Site;
  /** The content of `config.pbtxt`. */
  readonly config: ModelConfig;
  /** The contents of `configs/<profile>.pbtxt`. */
  readonly profiles: readonly ModelConfig[];
  /** The positions at which the author wrote the fields of its configuration, in a profile or without one. */
  readonly placesIn: (profile: string | undefined) => PlaceOf;
  /** Paths relative to the model's folder; files in version folders are in `versions`. */
  readonly files: Tree;
  /** Versions by number, in ascending order. */
  readonly versions: ReadonlyMap<number, StepVersion>;
  /** Whether the author listed the versions, so that a build does not append any. */
  readonly listed: boolean;
  readonly requirements: readonly string[];
  readonly needs: readonly string[];
  readonly functions?: StepModel["functions"];
  readonly packages?: StepModel["packages"];
  readonly nativePackages?: StepModel["nativePackages"];
  /** The models that its code calls. */
  readonly calls?: readonly string[];
  /** Tensor names that differ from the step's declaration. */
  readonly tensorNames?: TensorNames;
  /** The warmup requests that were captured. */
  readonly warmup?: readonly ManifestWarmupRequest[];
}
