import type { NamedTensors, PipelineError } from "@tritype/core";
import type { ModelConfig, ModelInstanceGroup } from "@tritype/triton";
import type { Parameters } from "@tritype/protocol";

/** One version of one model on disk, with its completed configuration. */
export interface ModelVersion {
  readonly name: string;
  /** "1" */
  readonly version: string;
  /** Absolute path of the model's folder. */
  readonly folder: string;
  /** Absolute path of the version's folder. */
  readonly versionFolder: string;
  readonly config: ModelConfig;
  /** `instance_group` as the author wrote it, without what Triton makes of it on this machine. */
  readonly writtenInstances?: readonly ModelInstanceGroup[];
}

/** Who waits for a request. */
export interface Asker {
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** The executions of models that wait for it. */
  readonly callers?: readonly Caller[] | undefined;
}
/** An instance of a model while it executes; compared by identity. */
export type Caller = object;

/** A request as a model sees it: inputs checked against the configuration, in the configuration's order. */
export interface ModelRequest extends Asker {
  readonly id: string;
  readonly inputs: NamedTensors;
  /** Wanted outputs; all when the client named none. */
  readonly outputs: readonly string[];
  readonly parameters: Parameters;
}
/** Where the time of an execution went, in microseconds. */
export interface ComputeTimes {
  readonly input: number;
  readonly infer: number;
  readonly output: number;
  /** How long it stood in its instance behind those that were handed over before it; counts as queued. Default 0. */
  readonly waited?: number;
}
/**
 * Outputs as the model made them (not checked, as in Triton), or why there are none. `times` are those of the whole execution; without
 * them all of it counts as the model's.
 */
export type ModelResult =
  | { readonly outputs: NamedTensors; readonly times?: ComputeTimes }
  | {
      readonly error: PipelineError;
      /**
       * What of it counts in Triton's statistics. "answer": the model ran and answered with this error, which is a success. "execution":
       * the model ran and failed. Without it, nothing but the failure.
       */
      readonly counts?: "answer" | "execution";
    };

export const hasFailed = (result: ModelResult): boolean => "error" in result && result.counts !== "answer";

/** A loaded model. One result per request, in their order; a failure of one request never rejects the whole. */
export interface LoadedModel {
  /** How many executions may run at once; a model without it queues by itself. */
  readonly instances?: number;
  /** How many executions beyond those it takes by now, to run one behind the other. Default none. */
  ahead?(): number;
  execute(requests: readonly ModelRequest[]): Promise<readonly ModelResult[]>;
  /** Whether all instances are among the callers of a request, which would wait for itself. */
  waitsForItself?(callers: readonly Caller[]): boolean;
  close(): Promise<void>;
}

/** Runs the models of one Triton backend (`config.backend`). */
export interface Backend {
  readonly name: string;
  /**
   * Fills what the configuration leaves out, as the backend's auto-complete does; without it, nothing.
   * @throws PipelineError `repository/invalid` with the reason Triton would give.
   */
  complete?(model: ModelVersion): Promise<ModelConfig>;
  /** @throws PipelineError `repository/invalid` with the reason Triton would give; `model/failed` where the model's own files fail. */
  load(model: ModelVersion): Promise<LoadedModel>;
}
