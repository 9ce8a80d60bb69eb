import type { ModelConfig } from "@tritype/triton";
import type { TensorData } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";

/** Decides when, on which instance and in which batch the requests of one model version run. */
export interface Scheduler {
  /** Never rejects: a failure is the result's `error`. */
  infer(request: ModelRequest): Promise<ModelResult>;
  /** Number of requests waiting for an execution. */
  waiting(): number;
  /** Resolves when every accepted request has its result. Later requests are refused. */
  close(): Promise<void>;
}

/** A request that ran. Times in microseconds. */
export interface Executed {
  readonly batchSize: number;
  /** From its arrival to the start of the execution. */
  readonly queued: number;
  readonly result: ModelResult;
}

export interface SchedulerObserver {
  /** One execution of the model has ended, `took` microseconds after it began; `emptyRows` of its rows had no request. */
  executed?(requests: readonly Executed[], took: number, emptyRows?: number): void;
  /** A request was refused before it ran: the queue was full, or it had run out of time. */
  rejected?(batchSize: number): void;
  /** A request was cancelled before it ran. */
  cancelled?(): void;
  /** A request ran, `took` microseconds after it arrived, and will run again. */
  rescheduled?(took: number): void;
  /** A request that was an iterative sequence has its last answer. */
  iterated?(): void;
  /** A request was answered from the cache; the lookup took `took` microseconds. */
  cacheHit?(took: number): void;
  /** A request ran, and its answer was offered to the cache; looking it up and storing it took `took` microseconds. */
  cacheMiss?(took: number): void;
}

export interface SchedulerOptions {
  readonly model: LoadedModel;
  /** The configuration as Triton completes it. */
  readonly config: ModelConfig;
  readonly clock: Clock;
  readonly observer: SchedulerObserver;
  /** Initial values of `sequence_batching.state`, by the name of the state's input. */
  readonly initialStates?: ReadonlyMap<string, TensorData> | undefined;
}
