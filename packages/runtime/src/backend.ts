import type { NamedTensors, PipelineError } from "@tritype/core";
import type { ModelConfig, ModelInstanceGroup } from "@tritype/triton";
import type { Parameters } from "@tritype/protocol";
import type { ComputeMoments, RequestTrace } from "./tracing/request-trace.ts";
import type { CancelSignal } from "./scheduling/cancellation.ts";

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
  /** `instance_group` of the configuration file, without Triton's defaults for this machine. */
  readonly writtenInstances?: readonly ModelInstanceGroup[];
}

/** The caller that waits for a request. */
export interface Asker {
  /** Aborted when the response is no longer needed. */
  readonly signal?: CancelSignal | undefined;
  /** The model executions that are waiting for the response. */
  readonly callers?: readonly Caller[] | undefined;
  /** Absent if the request is not traced. */
  readonly trace?: RequestTrace | undefined;
}
/** An instance of a model while it executes; compared by identity. */
export type Caller = object;

/** A request as the model gets it: inputs checked against the configuration, in the configuration's order. */
export interface ModelRequest extends Asker {
  readonly id: string;
  readonly inputs: NamedTensors;
  /** The names of the inputs in the order of the client's request. Default: that of `inputs`. */
  readonly sent?: readonly string[];
  /** Requested outputs; all if the client named none. */
  readonly outputs: readonly string[];
  readonly parameters: Parameters;
  readonly modelParameters?: Parameters | undefined;
  /** Receives the messages of a decoupled model, none after the final one; other models never call this function. */
  readonly reply?: (message: ModelMessage) => void;
}
/** A message from a decoupled model: a response, an error, or just the end marker. */
export interface ModelMessage {
  readonly result?: ModelResult;
  readonly final: boolean;
  /** Called when the reader has received the message, so that the model may send another one. */
  readonly taken?: () => void;
}
/** The durations of the parts of an execution, in microseconds. */
export interface ComputeTimes {
  readonly input: number;
  readonly infer: number;
  readonly output: number;
  /** The time that the request waited in its instance behind earlier ones; it counts as queue time. Default 0. */
  readonly waited?: number;
}
/** The events after the response of a model that must answer exactly once. */
export interface Afterwards {
  /** Whether the model marked its response as the last one. If so, the caller does not get the error. */
  readonly final: boolean;
  /** The error that ended the execution; undefined if only the end followed. */
  readonly error: PipelineError | undefined;
}
/** The error that a caller gets after the response. */
export const secondAnswer = (afterwards: Afterwards | undefined): PipelineError | undefined =>
  afterwards?.final === false ? afterwards.error : undefined;

/**
 * Outputs as the model returned them (unchecked, as in Triton), or the failure. `times` apply to the whole execution;
 * without them, the whole duration counts as the model's.
 */
export type ModelResult =
  | {
      readonly outputs: NamedTensors;
      readonly times?: ComputeTimes;
      /** A cached answer, with the outputs that were requested at the time. */
      readonly cached?: true;
      /** The model asks for the request again and has no outputs yet. */
      readonly rescheduled?: true;
      /** Only present for a traced request. */
      readonly moments?: ComputeMoments;
      readonly afterwards?: Afterwards;
      readonly countsTwice?: boolean;
    }
  | {
      readonly error: PipelineError;
      /** Whether the failure counts as two: Triton 24.10 does so if no other step of an ensemble is running. */
      readonly countsTwice?: boolean;
      /**
       * How a failure counts in Triton's statistics. "answer": the model ran and responded with this error, which
       * counts as a success. "execution": the model ran and failed. "refusal": it never waited for the model, and
       * does not count at all. If absent, only the failure counts.
       */
      readonly counts?: "answer" | "execution" | "refusal";
      /** Whether its scheduler refused it, so that it never waited for the model. */
      readonly unqueued?: true;
      /** Present for a traced request that was part of an execution. */
      readonly moments?: ComputeMoments;
      readonly afterwards?: Afterwards;
    };

export const hasFailed = (result: ModelResult): boolean =>
  "error" in result ? result.counts !== "answer" : result.afterwards?.error !== undefined;

/** The number of failures that a result counts as. */
export const failureCount = (result: ModelResult): number =>
  hasFailed(result) ? (result.countsTwice === true ? 2 : 1) : 0;

export const isRescheduled = (result: ModelResult): boolean => "rescheduled" in result && result.rescheduled;

/** Whether the request ever waited for its model. */
export const hasWaited = (result: ModelResult): boolean =>
  !("error" in result) || (result.unqueued !== true && !wasRefused(result));

export const wasRefused = (result: ModelResult): boolean => "error" in result && result.counts === "refusal";

/** The process of one instance of a model. */
export interface InstanceProcess {
  /** The instance's name, `<group>_<index>`. */
  readonly instance: string;
  readonly runs: "Python" | "Node";
  /** "broken": the last attempt to restart failed; another one follows. "ending": its model is being unloaded. */
  readonly state: "idle" | "busy" | "restarting" | "broken" | "ending";
  /** undefined while no process is running. */
  readonly pid: number | undefined;
  /** How often it was replaced after it had ended by itself or was killed. */
  readonly restarts: number;
}

/** Whether instances can start an execution: one whose process has ended first gets another process. */
export interface Readiness {
  /** Whether an execution would start, or fail, at once. @param instance Its number; default: any. */
  readonly now: (instance?: number) => boolean;
  /** Calls `listener` after each change. */
  readonly onChange: (listener: () => void) => void;
}

/** A loaded model. Returns one result per request, in order; the failure of one request never rejects the whole execution. */
export interface LoadedModel {
  /** Maximum number of concurrent executions; undefined for a model that has its own queue. */
  readonly instances?: number;
  /** Number of additional executions that it can queue right now; they run one after the other. Default none. */
  ahead?(): number;
  execute(requests: readonly ModelRequest[]): Promise<readonly ModelResult[]>;
  /**
   * Whether it is decoupled: it then answers through the requests' `reply`, and its results only state how the
   * execution ended.
   */
  readonly streams?: boolean;
  /**
   * Like `execute`, but on a specific instance, numbered from 0; absent if instances keep no state between executions.
   */
  executeOn?(instance: number, requests: readonly ModelRequest[]): Promise<readonly ModelResult[]>;
  /** Whether it only runs other models and computes nothing itself. */
  readonly composed?: true;
  /** Whether it can return the outputs of `sequence_batching.state`. Default false. */
  readonly givesStates?: boolean;
  /** Absent if every instance that is not executing can start an execution. */
  readonly readiness?: Readiness;
  /** The processes of its instances; absent if it runs in this process. */
  processes?(): readonly InstanceProcess[];
  /** Its instances as callers of other models: a request that all of them wait for would wait for itself. */
  readonly callers?: readonly Caller[];
  close(): Promise<void>;
}

/** Runs the models of one Triton backend (`config.backend`). */
export interface Backend {
  readonly name: string;
  /**
   * Fills in the fields that the configuration leaves out, as the backend's auto-complete does; if absent, no fields
   * are filled in.
   * @throws PipelineError `repository/invalid` with the reason that Triton would give.
   */
  complete?(model: ModelVersion): Promise<ModelConfig>;
  /**
   * @throws PipelineError `repository/invalid` with the reason that Triton would give; `model/failed` if the model's
   * own files fail.
   */
  load(model: ModelVersion): Promise<LoadedModel>;
}
